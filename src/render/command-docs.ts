import type { CommandRow, WhoMay } from '../command/table.ts';

const START = '<!-- commands:start -->';
const END = '<!-- commands:end -->';

const WHO = {
  writer: 'write access',
  'writer-or-author': 'write access, or the pull request’s author',
} as const satisfies Record<WhoMay, string>;

/** The command table as Markdown, for the README. */
export function renderCommandTable(rows: readonly CommandRow[]): string {
  const lines = rows.map(({ form, words, meaning, who }) => {
    const synonyms = words.slice(1).map((word) => `\`/${word}\``);
    const also = synonyms.length === 0 ? '' : ` (also ${synonyms.join(', ')})`;
    return `| \`${form.replaceAll('|', '\\|')}\`${also} | ${meaning} | ${WHO[who]} |`;
  });
  return ['| command | meaning | who may |', '|---|---|---|', ...lines].join('\n');
}

/** A document whose marked part is replaced by the table; the document itself where it has no such part. */
export function withCommandTable(document: string, table: string): string {
  const start = document.indexOf(START);
  const end = document.indexOf(END);
  if (start < 0 || end < start) return document;
  return `${document.slice(0, start + START.length)}\n${table}\n${document.slice(end)}`;
}
