// node shoot.mjs SAMPLES OUT [NAME…]: screenshots of every SAMPLES/*.md as a comment and SAMPLES/*.html as a page, light,
// dark and on a phone; checks first that GitHub would find nothing in a comment that we did not put there.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { problems } from './check.mjs';
import { page } from './github.mjs';
import { interact } from './interact.mjs';

const [samples, out, ...only] = process.argv.slice(2);
const here = (path) => new URL(path, import.meta.url);
const css = readFileSync(here('node_modules/github-markdown-css/github-markdown.css'), 'utf8');
const mermaid = readFileSync(here('node_modules/mermaid/dist/mermaid.min.js'), 'utf8');
const VIEWS = [['light', 'light', 950], ['dark', 'dark', 950], ['phone', 'light', 390]];

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'],
});
let passed = 0;
const failures = [];
try {
  for (const file of readdirSync(samples).sort()) {
    const name = basename(file).replace(/\.[a-z]+$/, '');
    const isPage = file.endsWith('.html');
    if ((!file.endsWith('.md') && !isPage) || (only.length > 0 && !only.includes(name))) continue;
    if (name.startsWith('attack_')) {
      const wrong = problems(readFileSync(join(samples, file), 'utf8'));
      if (wrong.length === 0) passed += 1;
      else failures.push(`${file}: ${wrong.join('; ')}`);
      continue;
    }
    const found = isPage ? [] : problems(readFileSync(join(samples, file), 'utf8'));
    for (const [view, colorScheme, width] of VIEWS) {
      const context = await browser.newContext({ viewport: { width, height: 500 }, colorScheme, deviceScaleFactor: width < 500 ? 2 : 1 });
      const tab = await context.newPage();
      // A machine under load is slow, not broken.
      tab.setDefaultTimeout(180_000);
      tab.on('pageerror', (error) => found.push(`a script error: ${error.message}`));
      tab.on('request', (request) => {
        if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) found.push(`a request to ${request.url()}`);
      });
      let target = resolve(samples, file);
      if (!isPage) {
        const text = readFileSync(target, 'utf8');
        const html = page(text, { css, mermaid: text.includes('```mermaid') ? mermaid : '', title: name });
        target = resolve(out, `${name}.comment.html`);
        writeFileSync(target, process.env.OPEN ? html.replaceAll('<details>', '<details open>') : html);
      }
      await tab.goto('file://' + target);
      if (!isPage) await tab.evaluate(() => window.ready);
      if (isPage && process.env.OPEN) await tab.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
      if ((await tab.title()).startsWith('mermaid:')) found.push(await tab.title());
      if (isPage) {
        const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) found.push(`${view}: the page is ${wide} px wider than the screen`);
      }
      const suffix = isPage ? 'page' : 'comment';
      await tab.screenshot({ path: join(out, `${name}.${suffix}.${view}.png`), fullPage: true });
      if (isPage && name === 'mixed' && view === 'light') found.push(...await interact(tab));
      await context.close();
    }
    if (found.length === 0) passed += 1;
    else failures.push(`${file}: ${[...new Set(found)].join('; ')}`);
  }
} finally {
  await browser.close();
}
for (const failure of failures) console.log(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
