import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Marked } from 'marked';
import sanitizeHtml from 'sanitize-html';
import type { CommentedLines } from '../pull-request.ts';
import { colorLines, patchRows, replacementRows, unifiedTable } from './code-view.ts';
import { Html, html } from './html.ts';

/** Where a comment stands: the address that its links into GitHub begin with, and the lines that it is about. */
export type CommentContext = { readonly webUrl: string; readonly anchor: CommentedLines | null };

/** What GitHub lets pass of a comment's HTML. Attributes that could style, name or run anything are not among it. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'div'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary', 'pre', 'code', 'kbd', 'samp', 'var', 'tt'],
    ...['a', 'b', 'strong', 'i', 'em', 'del', 'ins', 's', 'sub', 'sup', 'q', 'span', 'input'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
    details: ['open'],
    input: ['type', 'checked', 'disabled', 'aria-label'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  disallowedTagsMode: 'discard',
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs['type'] !== 'checkbox',
};

const RENDERED = new LRUCache<string, Html>({ max: 500 });

/** Renders a comment as GitHub does: GFM with line breaks, sanitized, code colored, suggestions as diffs. */
export function renderMarkdown(text: string, context: CommentContext): Html {
  const key = JSON.stringify([text, context]);
  const rendered = RENDERED.get(key) ?? renderAnew(text, context);
  RENDERED.set(key, rendered);
  return rendered;
}

function renderAnew(text: string, context: CommentContext): Html {
  // Nobody can guess the names of the places where trusted blocks are put back after the sanitizer.
  const nonce = randomUUID();
  const blocks: Html[] = [];
  const marked = new Marked({ gfm: true, breaks: true, async: false });
  marked.use({
    extensions: [
      {
        name: 'mention',
        level: 'inline',
        start: (source) => source.search(/(?<![\w`/])@[a-z\d]/i),
        tokenizer: (source) => {
          const raw = /^@[a-z\d](?:[a-z\d-]{0,38})(?:\[bot\])?/i.exec(source)?.[0];
          return raw === undefined ? undefined : { type: 'mention', raw };
        },
        renderer: ({ raw }) => `<strong>${raw}</strong>`,
      },
    ],
    renderer: {
      code: ({ text: code, lang = '' }) => `<p>${nonce}:${blocks.push(renderCode(code, lang, context)) - 1}:</p>`,
    },
  });
  const markup = marked.parse(text.replaceAll('\r\n', '\n'), { async: false });
  const clean = sanitizeHtml(markup, {
    ...ALLOWED,
    transformTags: {
      a: (tagName, attribs) => ({
        tagName,
        attribs: { ...attribs, href: toLocal(attribs['href'] ?? '', context.webUrl), rel: 'nofollow noreferrer' },
      }),
      input: (tagName, attribs) => ({
        tagName,
        attribs: { ...attribs, disabled: '', 'aria-label': 'checked' in attribs ? 'done' : 'to do' },
      }),
    },
  });
  const place = new RegExp(`<p>${nonce}:(\\d+):</p>`, 'g');
  return new Html(clean.replaceAll(place, (_whole, index: string) => blocks[Number(index)]?.markup ?? ''));
}

/** Links into the fake GitHub lead to this page. */
function toLocal(href: string, webUrl: string): string {
  return href.startsWith(`${webUrl}/`) ? href.slice(webUrl.length) : href;
}

function renderCode(code: string, info: string, { anchor }: CommentContext): Html {
  const language = info.split(/\s/)[0] ?? '';
  // The parser keeps the last line end only where an empty line is above it.
  const lines = code === '' ? [] : code.replace(/\n$/, '').split('\n');
  if (language === 'suggestion' && anchor !== null) return renderSuggestion(lines, anchor);
  if (language === 'diff') return renderDiff(lines);
  return html`<pre><code>${colorLines(code, `.${language}`).map((line) => html`${line}\n`)}</code></pre>`;
}

/** A suggestion has only the new lines: GitHub shows them against the lines of its thread. */
function renderSuggestion(suggested: readonly string[], { lines, first, path }: CommentedLines): Html {
  const rows = replacementRows(lines, suggested, first, path);
  return html`<div class="suggestion"><div class="suggestion-title">Suggested change</div><table class="diff">${unifiedTable(rows)}</table></div>`;
}

function renderDiff(lines: readonly string[]): Html {
  const path = lines.find((line) => line.startsWith('+++ b/'))?.slice('+++ b/'.length) ?? '';
  const hunks: { readonly header: string; readonly lines: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('@@')) hunks.push({ header: line, lines: [] });
    else hunks.at(-1)?.lines.push(line === '' ? ' ' : line);
  }
  if (hunks.length === 0) return html`<pre><code>${lines.join('\n')}</code></pre>`;
  const title = lines.slice(0, lines.indexOf(hunks[0]?.header ?? ''));
  return html`<div class="suggestion"><div class="suggestion-title">${title.join('  ')}</div><table class="diff">${hunks.map(
    (hunk) =>
      html`<tr class="diff-hunk"><td colspan="3">${hunk.header}</td></tr>${unifiedTable(patchRows(hunk.lines, hunk.header, path))}`,
  )}</table></div>`;
}
