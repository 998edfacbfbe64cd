"""The client of duress and the `openai` package with asyncio, against the same stand-in with 50 ms latency and 64 slots.

    cargo xtask peers endpoint

3,000 calls at 64 in flight each, one after the other in one run; wall and CPU time of the client alone, since the stand-in is a process of its own.
"""

import asyncio
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import openai

ROOT = Path(__file__).resolve().parents[2]
BENCH = [os.environ.get("CARGO", "cargo"), "bench", "--quiet", "--package", "duress-endpoint", "--bench", "calls"]
CALLS, IN_FLIGHT, LATENCY = 3000, 64, 0.05


async def ask_all(base, calls):
    async with openai.AsyncOpenAI(base_url=base, api_key="none", max_retries=0) as client:
        await ask_with(client, calls)


async def ask_with(client, calls):
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def ask(number):
        async with slots:
            messages = [{"role": "user", "content": f"call {number}: is this a tower?"}]
            reply = await client.chat.completions.create(model="stand-in", messages=messages)
            assert reply.choices[0].message.content == "yes"

    await asyncio.gather(*(ask(number) for number in range(calls)))


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    serving = subprocess.Popen([*BENCH, "--", "serve"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    base = serving.stdout.readline().strip()
    asyncio.run(ask_all(base, IN_FLIGHT))
    begun, used = time.monotonic(), cpu()
    asyncio.run(ask_all(base, CALLS))
    wall, used = time.monotonic() - begun, cpu() - used
    ideal = LATENCY * CALLS / IN_FLIGHT
    print(f"openai {openai.__version__} with asyncio: {wall:.2f} s, {100 * ideal / wall:.0f} % of the ideal rate, {1e3 * used / CALLS:.3f} ms CPU a call")
    serving.stdin.close()
    serving.wait()
    sys.stdout.flush()
    subprocess.run(BENCH, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
