// A report as its reader meets it: opened from disk, hovered, toggled, sorted, switched to dark, without a console error or a request.
// Works on any report; what needs two subjects, or something hostile in the findings, is tested where it is there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const find = (...names) => {
  for (const name of names) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      // Not this one.
    }
  }
  throw new Error(`none of ${names.join(", ")} is installed`);
};

const browser = await chromium.launch({
  executablePath: find("chromium", "chromium-browser", "google-chrome"),
  args: ["--no-sandbox", "--disable-gpu"],
});

async function open(folder, options) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("dialog", (dialog) => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const index = pathToFileURL(path.resolve(folder, "index.html")).href;
  page.on("request", (request) => {
    const url = request.url();
    if (url !== index && !url.startsWith("data:")) trouble.push(`asked for ${url}`);
  });
  await page.goto(index, { timeout: 120_000 });
  return { page, trouble, close: () => context.close() };
}

const tests = {
  async "verdicts come first"(page) {
    const heads = await page.locator("main h2").allTextContents();
    assert.equal(heads[0], "Verdicts");
  },

  async "no script of the findings ran, and hostile text is there to read"(page) {
    assert.ok(!(await page.title()).startsWith("pwned"));
    assert.equal(await page.locator("img[src='x']").count(), 0);
    assert.equal(await page.locator("script").count(), 1);
    const text = await page.locator("body").innerText();
    assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/.test(text), "control characters on the page");
  },

  async "a point says its value when pointed at"(page) {
    const mark = page.locator(".panel circle[data-tip]").first();
    if (!(await mark.count())) return;
    await mark.scrollIntoViewIfNeeded();
    // Scrolling hushes; on a busy machine its end may come after the first try.
    for (let tries = 0; tries < 5 && (await page.locator("#tip").isHidden()); tries += 1) {
      await page.mouse.move(0, 0);
      await mark.hover({ force: true });
    }
    assert.match(await page.locator("#tip").innerText(), /\d/);
  },

  async "arrow keys walk through a figure"(page) {
    const figure = page.locator(".panel figure > svg").first();
    if (!(await figure.count())) return;
    await figure.focus();
    await page.keyboard.press("ArrowRight");
    const first = await page.locator("#tip").innerText();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await page.locator("#tip").innerText(), "");
    assert.ok(first.length > 0);
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#tip").isHidden());
  },

  async "a subject can be hidden and shown"(page) {
    const box = page.locator("#toggles fieldset[data-kind=s] input").first();
    if (!(await box.count())) return;
    const key = await box.getAttribute("value");
    const lines = page.locator(`.panel figure g[data-s="${key}"]`);
    const rows = page.locator(".panel tbody tr:visible");
    const [before, all] = [await rows.count(), await lines.count()];
    await box.uncheck();
    assert.ok((await rows.count()) < before, "no row went away");
    assert.equal(await page.locator(`.panel figure g[data-s="${key}"].off`).count(), all);
    await box.check();
    assert.equal(await rows.count(), before);
  },

  async "a stressor and a gauge can be hidden, and all shown again"(page) {
    for (const [kind, what] of [["l", ".panel:visible"], ["g", ".gauge:visible"]]) {
      const boxes = page.locator(`#toggles fieldset[data-kind=${kind}] input`);
      if (!(await boxes.count())) continue;
      const before = await page.locator(what).count();
      await boxes.first().uncheck();
      assert.ok((await page.locator(what).count()) < before, `${what} stayed`);
      await page.locator(`#toggles fieldset[data-kind=${kind}] button[data-all="1"]`).click();
      assert.equal(await page.locator(what).count(), before);
    }
  },

  async "a table sorts both ways, and what has no number stays last"(page) {
    const table = page.locator(".panel table").first();
    if (!(await table.locator("thead button").count())) return;
    const button = table.locator("thead th.n button").last();
    const column = await table.locator("thead th").evaluateAll((heads) => heads.findLastIndex((head) => head.classList.contains("n")));
    const read = () => table.locator("tbody tr").evaluateAll((rows, i) => rows.map((row) => parseFloat(row.cells[i].firstChild.textContent.replace("−", "-"))), column);
    await button.click();
    const up = (await read()).filter((value) => !Number.isNaN(value));
    assert.deepEqual(up, up.toSorted((a, b) => a - b));
    assert.equal(await table.locator("thead th[aria-sort=ascending]").count(), 1);
    await button.click();
    const down = await read();
    const numbers = down.filter((value) => !Number.isNaN(value));
    assert.deepEqual(numbers, numbers.toSorted((a, b) => b - a));
    assert.ok(down.slice(0, numbers.length).every((value) => !Number.isNaN(value)));
  },

  async "dark is dark, and the button says so"(page) {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await ground();
    await page.locator("#look").focus();
    await page.keyboard.press("Enter");
    assert.notEqual(await ground(), before);
    assert.equal(await page.locator("#look").getAttribute("aria-pressed"), "true");
    await page.keyboard.press("Enter");
    assert.equal(await ground(), before);
  },

  async "figures and tables have names for who cannot see them"(page) {
    const unnamed = await page.locator("figure > svg:not([aria-label])").count();
    assert.equal(unnamed, 0);
    assert.equal(await page.locator("svg[aria-label='']").count(), 0);
    assert.equal(await page.locator("img:not([alt])").count(), 0);
  },

  async "nothing is wider than the window, also on a phone"(page) {
    for (const width of [1200, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} px in a window of ${width}`);
    }
  },

  async "no two texts of a figure overlap as the browser sets them"(page) {
    await page.addStyleTag({ content: ".gauge{content-visibility:visible!important}" });
    const covered = await page.evaluate(() => {
      const found = [];
      document.querySelectorAll("figure > svg").forEach((svg) => {
        // Boxes of browsers reach above capitals and below descenders; what counts is where ink can be.
        const boxes = [...svg.querySelectorAll("text")].map((text) => {
          const box = text.getBBox(), size = parseFloat(text.getAttribute("font-size"));
          const base = parseFloat(text.getAttribute("y"));
          return { words: text.textContent, left: box.x, right: box.x + box.width, top: base - 0.7 * size, bottom: base + 0.2 * size };
        });
        boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
          if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5) {
            found.push(`${a.words} | ${b.words}`);
          }
        }));
      });
      return found;
    });
    assert.deepEqual(covered, []);
  },

  async "links to figures lead to files"(page, folder) {
    const { existsSync } = await import("node:fs");
    const links = await page.locator("figcaption a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    const lost = links.filter((link) => !existsSync(path.join(folder, decodeURIComponent(link))));
    assert.deepEqual(lost, []);
  },
};

let failed = 0;
for (const folder of process.argv.slice(2)) {
  for (const [name, test] of Object.entries(tests)) {
    const { page, trouble, close } = await open(folder, { colorScheme: "light" });
    try {
      await test(page, folder);
      assert.deepEqual(trouble, [], "the console or the network spoke");
      console.log(`ok      ${path.basename(folder)}: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${path.basename(folder)}: ${name}\n        ${String(error.message || error).split("\n").slice(0, 12).join("\n        ")}`);
    }
    await close();
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
