// Markdown to HTML as GitHub does it, near enough: GFM, emoji names, raw HTML through the allowlist of html-pipeline.
import rehypeRaw from 'rehype-raw';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkGemoji from 'remark-gemoji';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';

const pipeline = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkGemoji)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeSanitize, defaultSchema)
  .use(rehypeStringify);

/** The sanitised HTML of a comment. */
export function html(markdown) {
  return String(pipeline.processSync(markdown));
}

/** A page that shows the comment in GitHub's frame. Alerts and Mermaid are what GitHub's own scripts add. */
export function page(markdown, { css, mermaid, title }) {
  const body = html(markdown)
    .replaceAll(/<blockquote>\s*<p>\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*(?:<br>)?/g, (_, kind) =>
      `<blockquote class="markdown-alert markdown-alert-${kind.toLowerCase()}"><p class="markdown-alert-title">` +
      `${kind[0]}${kind.slice(1).toLowerCase()}</p><p>`)
    .replaceAll(/<pre><code class="language-mermaid">([^]*?)<\/code><\/pre>/g, '<pre class="mermaid">$1</pre>');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${css}
body { margin: 0; padding: 16px; background: var(--bgColor-muted, #f6f8fa); font-family: -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
@media (prefers-color-scheme: dark) { body { background: #010409; } }
.frame { max-width: 880px; margin: 0 auto; border: 1px solid var(--borderColor-default, #d1d9e0); border-radius: 6px; overflow: hidden; background: var(--bgColor-default, #fff); }
.frame header { padding: 8px 16px; font-size: 14px; border-bottom: 1px solid var(--borderColor-default, #d1d9e0); background: var(--bgColor-muted, #f6f8fa); color: var(--fgColor-muted, #59636e); }
.frame .markdown-body { padding: 16px; font-size: 14px; }
@media (prefers-color-scheme: dark) { .frame { background: #0d1117; border-color: #3d444d; } .frame header { background: #151b23; border-color: #3d444d; color: #9198a1; } }
pre.mermaid { background: none !important; }
</style></head><body><div class="frame markdown-body" style="padding:0"><header><b>github-actions</b> bot commented now · edited</header>
<div class="markdown-body">${body}</div></div>
${mermaid ? `<script>${mermaid}</script><script>
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
mermaid.initialize({ startOnLoad: false, theme: dark ? 'dark' : 'default' });
window.ready = mermaid.run({ querySelector: 'pre.mermaid' }).catch((e) => { document.title = 'mermaid: ' + e.message; });
</script>` : '<script>window.ready = Promise.resolve();</script>'}
</body></html>`;
}
