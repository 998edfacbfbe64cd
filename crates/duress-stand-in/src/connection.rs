//! One connection: requests are read one after another, as HTTP has them, and answered as the test
//! says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::{Act, Asked, Shared};

pub(crate) fn serve(stream: TcpStream, shared: &Shared) {
    // A reply that waits for more to send would look like a slow server.
    let _ = stream.set_nodelay(true);
    let Ok(reading) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(reading);
    let mut writer = stream;
    while let Some(asked) = read(&mut reader, shared) {
        let slot = shared.slots.take();
        let busy = shared.busy.fetch_add(1, Ordering::Relaxed) + 1;
        shared.most_busy.fetch_max(busy, Ordering::Relaxed);
        let goes_on = act((shared.behaviour)(&asked), &mut writer, &mut reader);
        shared.busy.fetch_sub(1, Ordering::Relaxed);
        drop(slot);
        if !goes_on {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead, shared: &Shared) -> Option<Asked> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let path = first.split(' ').nth(1)?.to_string();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_string()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut seen = shared.seen();
    let asked = Asked {
        number: seen.len(),
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    seen.push(asked.clone());
    Some(asked)
}

/// Does it; says whether the connection goes on.
fn act(act: Act, writer: &mut TcpStream, reader: &mut impl Read) -> bool {
    match act {
        Act::After(wait, then) => {
            thread::sleep(wait);
            self::act(*then, writer, reader)
        }
        Act::Reply(status, headers, body) => {
            let head = head(status, body.len(), &headers);
            let sent = writer.write_all(head.as_bytes());
            sent.and_then(|()| writer.write_all(&body)).is_ok()
        }
        Act::CutShort(body) => {
            let _ = writer.write_all(head(200, body.len() + 100, &[]).as_bytes());
            let _ = writer.write_all(&body);
            false
        }
        Act::Stall => {
            let _ = writer.write_all(head(200, 100, &[]).as_bytes());
            // The client leaves when it has waited enough.
            let _ = writer.set_read_timeout(Some(Duration::from_secs(30)));
            let _ = reader.read(&mut [0]);
            false
        }
        Act::HangUp => false,
    }
}

fn head(status: u16, length: usize, headers: &[(String, String)]) -> String {
    let further: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{further}\r\n"
    )
}
