// What GitHub would make of a hostile comment: every link, image and tag that is left after its pipeline.
import { html } from './github.mjs';

const LINKS = [
  /^https:\/\/github\.com\/octo\/codec\/commit\/[0-9a-f]{40}$/,
  /^https:\/\/github\.com\/octo\/codec\/actions\/runs\/\d+(#artifacts)?$/,
  /^https:\/\/github\.com\/org\/bench-bot\/blob\/main\/docs\/report\.md$/,
];
const TAGS = new Set(['a', 'blockquote', 'br', 'code', 'details', 'em', 'h3', 'li', 'p', 'pre', 'strong', 'sub', 'summary',
  'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']);

/** What is wrong with a comment, one line each. */
export function problems(markdown) {
  const text = html(markdown);
  const found = [];
  for (const [, tag] of text.matchAll(/<([a-z][a-z0-9]*)/g)) {
    if (!TAGS.has(tag)) found.push(`a <${tag}> element`);
  }
  for (const [, href] of text.matchAll(/href="([^"]*)"/g)) {
    if (!LINKS.some((link) => link.test(href))) found.push(`a link to ${href}`);
  }
  const prose = text.replaceAll(/<(code|pre|a)\b[^>]*>[^]*?<\/\1>/g, ' ');
  for (const [what, pattern] of [
    ['a mention', /@[A-Za-z0-9]/],
    ['a reference', /#\d|GH-\d/i],
    ['a command', /(^|\n|>)\s*\/bench/],
    ['a URL', /https?:\/\/|www\./],
  ]) {
    const hit = prose.replaceAll(/<[^>]*>/g, ' ').match(pattern);
    if (hit) found.push(`${what}: ${JSON.stringify(prose.slice(Math.max(0, hit.index - 20), hit.index + 20))}`);
  }
  return [...new Set(found)];
}
