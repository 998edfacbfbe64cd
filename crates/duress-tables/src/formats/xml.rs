//! Whether XML is well-formed.
//!
//! The reader of workbooks looks for cells and passes over what it does not look for; a file that is
//! damaged there was read as if it were whole. This goes through every byte by the grammar of XML 1.0
//! and of its namespaces, as the readers of other programs do. Stricter on purpose, where no
//! spreadsheet program goes: UTF-8 only, names in ASCII, no document type, bounded depth.

use std::fmt;
use std::io::{self, Read};

/// Elements within elements, and attributes of one; no workbook comes near.
const MOST: usize = 256;

/// Why something is not well-formed XML.
#[derive(Debug)]
pub(super) enum XmlFault {
    /// It cannot be read at all.
    Read(io::Error),
    /// What the grammar does not allow, and behind how many bytes.
    Malformed(&'static str, u64),
}

impl fmt::Display for XmlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XmlFault::Read(error) => write!(f, "{error}"),
            XmlFault::Malformed(what, at) => write!(f, "{what}, at byte {at}"),
        }
    }
}

/// The root of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// The namespace it is in; empty for none.
    pub(super) namespace: String,
    /// Its name without a prefix.
    pub(super) name: String,
}

/// Goes through a document; the root it has.
pub(super) fn check(input: impl Read) -> Result<Root, XmlFault> {
    let mut document = Document {
        bytes: Bytes::new(input),
        open: Vec::new(),
        bound: vec![("xml".into(), XML.into())],
    };
    document.read()
}

/// What the prefix `xml` always stands for.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

struct Document<R> {
    bytes: Bytes<R>,
    /// The elements that are open: their names, and how many prefixes were bound outside.
    open: Vec<(String, usize)>,
    /// Prefixes with their namespaces, the innermost last; the default has no letters.
    bound: Vec<(String, String)>,
}

impl<R: Read> Document<R> {
    fn read(&mut self) -> Result<Root, XmlFault> {
        self.skip_mark()?;
        let mut root = None;
        let mut at_start = true;
        loop {
            match self.bytes.peek()? {
                Some(b'<') => {
                    self.bytes.next()?;
                    let found = self.markup(at_start, root.is_some())?;
                    root = root.or(found);
                }
                Some(b'&') if !self.open.is_empty() => self.reference().map(|_| ())?,
                Some(_) if !self.open.is_empty() => self.text()?,
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.bytes.skip()?,
                Some(_) => return self.bytes.fault("a text outside of the root"),
                None => break,
            }
            at_start = false;
        }
        match root {
            Some(root) if self.open.is_empty() => Ok(root),
            Some(_) => self.bytes.fault("an element without an end"),
            None => self.bytes.fault("no element"),
        }
    }

    /// The mark of UTF-8 that some programs write first.
    fn skip_mark(&mut self) -> Result<(), XmlFault> {
        if self.bytes.peek()? == Some(0xef) {
            self.bytes
                .expect(b"\xef\xbb\xbf", "another encoding than UTF-8")?;
        }
        Ok(())
    }

    /// What stands behind `<`; the root, where it begins.
    fn markup(&mut self, at_start: bool, after: bool) -> Result<Option<Root>, XmlFault> {
        match self.bytes.peek()? {
            Some(b'/') => {
                self.bytes.next()?;
                self.end_tag()?;
            }
            Some(b'!') => {
                self.bytes.next()?;
                self.comment_or_data()?;
            }
            Some(b'?') => {
                self.bytes.next()?;
                self.instruction(at_start)?;
            }
            _ => {
                let outermost = self.open.is_empty();
                if outermost && after {
                    return self.bytes.fault("a second root");
                }
                let root = self.start_tag()?;
                return Ok(outermost.then_some(root));
            }
        }
        Ok(None)
    }

    fn start_tag(&mut self) -> Result<Root, XmlFault> {
        let name = self.name()?;
        let outside = self.bound.len();
        let mut attributes: Vec<String> = Vec::new();
        let closed = loop {
            let spaced = self.spaces()?;
            match self.bytes.peek()? {
                Some(b'>') => break false,
                Some(b'/') => {
                    self.bytes.next()?;
                    break true;
                }
                _ if !spaced => return self.bytes.fault("no blank before an attribute"),
                _ => self.attribute(&mut attributes)?,
            }
        };
        self.bytes.expect(b">", "a tag without an end")?;
        let (namespace, local) = self.expanded(&name)?;
        let root = Root {
            namespace: namespace.into(),
            name: local.into(),
        };
        self.check_attributes(&attributes)?;
        if closed {
            self.bound.truncate(outside);
        } else if self.open.len() == MOST {
            return self.bytes.fault("elements in elements without end");
        } else {
            self.open.push((name, outside));
        }
        Ok(root)
    }

    fn attribute(&mut self, attributes: &mut Vec<String>) -> Result<(), XmlFault> {
        let name = self.name()?;
        self.spaces()?;
        self.bytes.expect(b"=", "an attribute without a value")?;
        self.spaces()?;
        let value = self.quoted()?;
        if attributes.len() == MOST {
            return self.bytes.fault("attributes without end");
        }
        match name.strip_prefix("xmlns") {
            Some("") => self.bound.push((String::new(), value)),
            Some(prefix) if prefix.starts_with(':') => {
                let prefix = &prefix[1..];
                if value.is_empty() || ["xml", "xmlns"].contains(&prefix) {
                    return self.bytes.fault("a prefix that cannot be bound");
                }
                self.bound.push((prefix.into(), value));
            }
            _ => {}
        }
        attributes.push(name);
        Ok(())
    }

    /// No two of the same name, whatever the prefix it is written with.
    fn check_attributes(&self, attributes: &[String]) -> Result<(), XmlFault> {
        let mut seen: Vec<(&str, &str)> = Vec::with_capacity(attributes.len());
        for name in attributes {
            let one = match name.split_once(':') {
                Some(("xmlns", prefix)) => ("xmlns", prefix),
                Some(_) => self.expanded(name)?,
                None => ("", name.as_str()),
            };
            if seen.contains(&one) {
                return self.bytes.fault("an attribute that is there twice");
            }
            seen.push(one);
        }
        Ok(())
    }

    /// The namespace of a name, and the name in it.
    fn expanded<'a>(&'a self, name: &'a str) -> Result<(&'a str, &'a str), XmlFault> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let innermost = self.bound.iter().rev().find(|(bound, _)| bound == prefix);
        match innermost {
            Some((_, namespace)) => Ok((namespace, local)),
            None if prefix.is_empty() => Ok(("", local)),
            None => self.bytes.fault("a prefix that stands for nothing"),
        }
    }

    fn end_tag(&mut self) -> Result<(), XmlFault> {
        let name = self.name()?;
        self.spaces()?;
        self.bytes.expect(b">", "a tag without an end")?;
        match self.open.pop() {
            Some((begun, outside)) if begun == name => {
                self.bound.truncate(outside);
                Ok(())
            }
            _ => self.bytes.fault("the end of an element that is not open"),
        }
    }

    fn comment_or_data(&mut self) -> Result<(), XmlFault> {
        if self.bytes.peek()? == Some(b'[') && !self.open.is_empty() {
            self.bytes
                .expect(b"[CDATA[", "neither data nor a comment")?;
            return self.until(b"]]>", b"]]>");
        }
        self.bytes.expect(b"--", "neither data nor a comment")?;
        self.until(b"--", b"-->")
    }

    /// An instruction to a program; at the very start, what the document says of itself.
    fn instruction(&mut self, at_start: bool) -> Result<(), XmlFault> {
        let target = self.name()?;
        if target.contains(':') || (target.eq_ignore_ascii_case("xml") && target != "xml") {
            return self.bytes.fault("an instruction of a reserved name");
        }
        if target == "xml" {
            return match at_start {
                true => self.declaration(),
                false => self.bytes.fault("a declaration behind the start"),
            };
        }
        if !self.spaces()? && self.bytes.peek()? != Some(b'?') {
            return self.bytes.fault("an instruction without an end");
        }
        self.until(b"?>", b"?>")
    }

    /// `version`, then perhaps `encoding`, then perhaps `standalone`.
    fn declaration(&mut self) -> Result<(), XmlFault> {
        let mut said = Vec::new();
        while self.spaces()? && self.bytes.peek()? != Some(b'?') {
            let name = self.name()?;
            self.spaces()?;
            self.bytes.expect(b"=", "a declaration without a value")?;
            self.spaces()?;
            said.push((name, self.quoted()?.to_ascii_lowercase()));
        }
        self.bytes.expect(b"?>", "a declaration without an end")?;
        let said: Vec<(&str, &str)> = said.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        match said.as_slice() {
            [("version", "1.0"), rest @ ..] => match rest {
                [] | [("encoding", "utf-8")] => Ok(()),
                [("standalone", "yes" | "no")]
                | [("encoding", "utf-8"), ("standalone", "yes" | "no")] => Ok(()),
                _ => self.bytes.fault("another declaration than that of UTF-8"),
            },
            _ => self.bytes.fault("another version than XML 1.0"),
        }
    }

    /// Goes on to the first `mark`, which has to be the `end`.
    fn until(&mut self, mark: &[u8], end: &[u8]) -> Result<(), XmlFault> {
        let mut last: Vec<u8> = Vec::with_capacity(mark.len());
        while last != mark {
            if last.len() == mark.len() {
                last.remove(0);
            }
            let character = self.bytes.character()?;
            // No byte of a longer character is one of a mark.
            last.push(u8::try_from(u32::from(character)).unwrap_or(0));
        }
        self.bytes
            .expect(&end[mark.len()..], "two hyphens in a comment")
    }

    fn text(&mut self) -> Result<(), XmlFault> {
        let mut brackets = 0;
        loop {
            if self.bytes.skip_plain() {
                brackets = 0;
            }
            match self.bytes.peek()? {
                None | Some(b'<' | b'&') => return Ok(()),
                Some(b'>') if brackets >= 2 => {
                    return self.bytes.fault("the end of data that has no start");
                }
                Some(b']') => {
                    self.bytes.skip()?;
                    brackets += 1;
                }
                Some(_) => {
                    self.bytes.character()?;
                    brackets = 0;
                }
            }
        }
    }

    fn quoted(&mut self) -> Result<String, XmlFault> {
        let quote = match self.bytes.next()? {
            Some(quote @ (b'"' | b'\'')) => quote,
            _ => return self.bytes.fault("a value without quotes"),
        };
        let mut value = String::new();
        loop {
            match self.bytes.peek()? {
                Some(byte) if byte == quote => {
                    self.bytes.skip()?;
                    return Ok(value);
                }
                Some(b'<') => return self.bytes.fault("a tag within a value"),
                Some(b'&') => value.push(self.reference()?),
                _ => value.push(self.bytes.character()?),
            }
        }
    }

    /// `&amp;`, `&#10;`, `&#xa;` and the like.
    fn reference(&mut self) -> Result<char, XmlFault> {
        self.bytes.skip()?;
        let mut name = String::new();
        loop {
            match self.bytes.next()? {
                Some(b';') => break,
                Some(byte) if name.len() < 10 => name.push(byte.into()),
                _ => return self.bytes.fault("a reference without an end"),
            }
        }
        let number = |digits: &str, base| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, base).ok().filter(|_| plain)?;
            char::from_u32(code).filter(|character| is_allowed(*character))
        };
        let meant = match name.as_str() {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            other => match (other.strip_prefix("#x"), other.strip_prefix('#')) {
                (Some(digits), _) => number(digits, 16),
                (None, Some(digits)) => number(digits, 10),
                (None, None) => None,
            },
        };
        match meant {
            Some(character) => Ok(character),
            None => self.bytes.fault("a reference to nothing"),
        }
    }

    /// A name with at most one prefix.
    fn name(&mut self) -> Result<String, XmlFault> {
        let mut name = String::new();
        while let Some(byte) = self.bytes.peek()? {
            let inside = !name.is_empty() && !name.ends_with(':');
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
                b'0'..=b'9' | b'-' | b'.' if inside => {}
                b':' if inside && !name.contains(':') => {}
                _ => break,
            }
            self.bytes.skip()?;
            name.push(byte.into());
        }
        match name.is_empty() || name.ends_with(':') {
            true => self.bytes.fault("no name where one should be"),
            false => Ok(name),
        }
    }

    /// Whether there were any.
    fn spaces(&mut self) -> Result<bool, XmlFault> {
        let mut any = false;
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.bytes.peek()? {
            self.bytes.skip()?;
            any = true;
        }
        Ok(any)
    }
}

fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Bytes, one by one.
struct Bytes<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    /// How many went before what is in the buffer.
    before: u64,
}

impl<R: Read> Bytes<R> {
    fn new(input: R) -> Bytes<R> {
        Bytes {
            input,
            buffer: Vec::new(),
            at: 0,
            before: 0,
        }
    }

    fn peek(&mut self) -> Result<Option<u8>, XmlFault> {
        if self.at == self.buffer.len() {
            self.fill()?;
        }
        Ok(self.buffer.get(self.at).copied())
    }

    #[cold]
    fn fill(&mut self) -> Result<(), XmlFault> {
        self.before += self.at as u64;
        self.at = 0;
        self.buffer.clear();
        let piece = self.input.by_ref().take(1 << 14);
        let mut piece = piece;
        piece
            .read_to_end(&mut self.buffer)
            .map(|_| ())
            .map_err(XmlFault::Read)
    }

    fn next(&mut self) -> Result<Option<u8>, XmlFault> {
        let byte = self.peek()?;
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }

    /// Goes on behind what is a text and nothing else, as far as it is at hand; whether there is
    /// any. Nearly all of a workbook is this.
    fn skip_plain(&mut self) -> bool {
        let plain =
            |byte: &&u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'<' | b'&' | b'>' | b']');
        let length = self.buffer[self.at..].iter().take_while(plain).count();
        self.at += length;
        length > 0
    }

    fn skip(&mut self) -> Result<(), XmlFault> {
        self.next().map(|_| ())
    }

    fn expect(&mut self, bytes: &[u8], otherwise: &'static str) -> Result<(), XmlFault> {
        for expected in bytes {
            if self.next()? != Some(*expected) {
                return self.fault(otherwise);
            }
        }
        Ok(())
    }

    /// The next character, if it is one that XML allows.
    fn character(&mut self) -> Result<char, XmlFault> {
        let Some(first) = self.next()? else {
            return self.fault("an end in the middle");
        };
        let mut whole = [first, 0, 0, 0];
        let length = match first {
            0x00..=0x7f => 1,
            0x80..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0.. => 4,
        };
        for byte in &mut whole[1..length] {
            *byte = self.next()?.unwrap_or(0);
        }
        let text = std::str::from_utf8(&whole[..length]);
        let character = text.ok().and_then(|text| text.chars().next());
        match character.filter(|character| is_allowed(*character)) {
            Some(character) => Ok(character),
            None => self.fault("what is no character"),
        }
    }
}

impl<R> Bytes<R> {
    fn fault<T>(&self, what: &'static str) -> Result<T, XmlFault> {
        Err(XmlFault::Malformed(what, self.before + self.at as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Option<(String, String)> {
        let root = check(text.as_bytes()).ok()?;
        Some((root.namespace, root.name))
    }

    #[test]
    fn what_is_well_formed_is_taken() {
        let check = |text: &str, namespace: &str, name: &str| {
            assert_eq!(root(text), Some((namespace.into(), name.into())), "{text}");
        };
        check("<a/>", "", "a");
        check(
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- x --><a></a >\n<?p ?><!---->",
            "",
            "a",
        );
        check(
            "<?xml version='1.0' encoding='UTF-8' standalone=\"yes\"?>\r\n<s:a xmlns:s=\"urn:s\" s:b='&lt;&#x41;' b='1'>ü]]&gt;<![CDATA[<&]] ]]><s:b/></s:a>",
            "urn:s",
            "a",
        );
        check(
            "<a xmlns='urn:d' xml:space='preserve'><b xmlns=''/></a>",
            "urn:d",
            "a",
        );
        check("<a><?p?><?p x ? > ?></a>", "", "a");
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for text in [
            "",
            " ",
            "a",
            "<a>",
            "<a></b>",
            "<a/><b/>",
            "<a/>x",
            "x<a/>",
            " <?xml version='1.0'?><a/>",
            "<?xml version='1.1'?><a/>",
            "<?xml encoding='UTF-8'?><a/>",
            "<?xml version='1.0' encoding='latin-1'?><a/>",
            "<?xml version='1.0'encoding='UTF-8'?><a/>",
            "<?XML version='1.0'?><a/>",
            "<!DOCTYPE a><a/>",
            "<a b/>",
            "<a b=1/>",
            "<a b='1'c='2'/>",
            "<a b='1' b='2'/>",
            "<a b='<'/>",
            "<a b='&'/>",
            "<a b='&nbsp;'/>",
            "<a b='1/>",
            "<a>&#0;</a>",
            "<a>&#x110000;</a>",
            "<a>&#+65;</a>",
            "<a>&amp</a>",
            "<a>]]></a>",
            "<a>\u{1}</a>",
            "<a>\u{ffff}</a>",
            "<a><!-- -- --></a>",
            "<a><!--></a>",
            "<a><!-- --->",
            "<a><![CDATA[ ]]</a>",
            "<![CDATA[]]><a/>",
            "<s:a/>",
            "<a s:b='1'/>",
            "<a xmlns:s=''/>",
            "<a xmlns:s='u' xmlns:t='u' s:b='' t:b=''/>",
            "<a:b:c xmlns:a='u'/>",
            "<a: xmlns:a='u'/>",
            "<:a/>",
            "<1a/>",
            "<a/ >",
            "< a/>",
            "<a><b></a></b>",
            "<s:a xmlns:s='u'><b xmlns:t='u'/><t:c/></s:a>",
        ] {
            assert_eq!(root(text), None, "{text}");
        }
        for bytes in [
            &b"<a>\xff</a>"[..],
            b"<a>\xc3</a>",
            b"<a>\xed\xa0\x80</a>",
            b"<a\xc3\xbc/>",
        ] {
            check(bytes).unwrap_err();
        }
        let deep = "<a>".repeat(1000) + &"</a>".repeat(1000);
        assert_eq!(root(&deep), None);
    }
}
