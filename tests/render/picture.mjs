// node picture.mjs COMMENT.md OUT.png OUT-DARK.png: the picture of a comment for the README, cut below its folds.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { page } from './github.mjs';

const [comment, light, dark] = process.argv.slice(2);
const css = readFileSync(new URL('node_modules/github-markdown-css/github-markdown.css', import.meta.url), 'utf8');
// Without the marker lines, which GitHub hides.
const text = readFileSync(comment, 'utf8').replaceAll(/^<!--.*-->\n?/gm, '');
const file = join(tmpdir(), `bench-bot-picture-${process.pid}.html`);
writeFileSync(file, page(text, { css, mermaid: '', title: 'comment' }));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
for (const [colorScheme, out] of [['light', light], ['dark', dark]]) {
  const tab = await browser.newPage({ viewport: { width: 900, height: 600 }, colorScheme, deviceScaleFactor: 1 });
  await tab.goto('file://' + file);
  await tab.locator('.frame').screenshot({ path: out });
}
await browser.close();
rmSync(file);
