//! Replaces Chinese characters by others that look like them.
//!
//! # What it does
//! Writes a character of the same group in a table of look-alikes: 己 for 已, 末 for 未, 士 for 土.
//!
//! # Why it matters
//! What people mistake when they write by hand, and scanners when they read; each gives a wrong
//! word that looks right.
//!
//! # Severity
//! The share of the characters that have a look-alike, from 0 to 1. Places are in an order of each text's own, drawn from the seed, so harder rungs change
//! what milder ones changed and more.
//!
//! # Promise
//! Blind. Only characters of the table are changed; a text without any does not take part. What it came to is reported as edit distance.
//!
//! # Example
//! ```toml
//! [ladder.look-alike]
//! use = "look-alike"
//! severities = [0.05, 0.1, 0.2]
//! ```
//!
//! # Reference
//! The table was put together for duress from characters that textbooks of Chinese warn of.

use std::ops::Range;

use duress_core::seed::Draws;

use crate::order::frame::text_noise::{TextNoise, characters, noise_part, one_of, only};

noise_part!("look-alike", "look_alike.rs");

static NOISE: TextNoise = TextNoise {
    unit: "share of the characters that have a look-alike",
    sites,
    change,
    leaves_one: false,
};

/// Characters that look alike.
const GROUPS: [&str; 60] = [
    "己已巳",
    "未末",
    "土士",
    "日曰",
    "人入八",
    "大太犬",
    "天夫",
    "干千于",
    "刀力",
    "午牛",
    "王玉主",
    "木本术",
    "田由甲申",
    "目且",
    "贝见",
    "鸟乌",
    "免兔",
    "今令",
    "白百",
    "手毛",
    "几儿",
    "九丸",
    "万方",
    "广厂",
    "户尸",
    "心必",
    "水永",
    "冰泳",
    "折拆",
    "拨拔",
    "侯候",
    "即既",
    "戊戌戍",
    "茶荼",
    "孤狐",
    "幻幼",
    "辩辨辫",
    "晴睛",
    "清请情",
    "喝渴",
    "跑泡",
    "低底",
    "住往",
    "推椎",
    "蓝篮",
    "历厉",
    "准淮",
    "治冶",
    "母毋",
    "析折",
    "仓仑",
    "氏氐",
    "卯卵",
    "爪瓜",
    "析拆",
    "弋戈",
    "乒乓",
    "治冶",
    "班斑",
    "徒徙",
];

fn sites(text: &str) -> Vec<Range<usize>> {
    characters(text, |c| group(c).is_some())
}

fn change(site: &str, draws: &mut Draws) -> Option<String> {
    let own = only(site)?;
    let others: Vec<char> = group(own)?.chars().filter(|other| *other != own).collect();
    one_of(&others, draws).map(String::from)
}

fn group(character: char) -> Option<&'static str> {
    GROUPS.into_iter().find(|group| group.contains(character))
}
