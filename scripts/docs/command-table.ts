import type { CommandHelp } from '../../src/core/messages/replies.ts';

const COMMANDS_START = '<!-- commands:start -->';

const COMMANDS_END = '<!-- commands:end -->';

const ROLE_TEXT = {
  writer: 'write access',
  'writer-or-author': 'write access, or the pull request’s author',
} as const satisfies Record<CommandHelp['allowedTo'], string>;

/** The command table as Markdown, for the README. */
export function renderCommandTable(rows: readonly CommandHelp[]): string {
  const lines = rows.map(({ syntax, words, summary, allowedTo }) => {
    const aliases = words.slice(1).map((word) => `\`/${word}\``);
    const also = aliases.length === 0 ? '' : ` (also ${aliases.join(', ')})`;
    return `| \`${syntax.replaceAll('|', '\\|')}\`${also} | ${summary} | ${ROLE_TEXT[allowedTo]} |`;
  });
  return ['| command | meaning | who may |', '|---|---|---|', ...lines].join('\n');
}

/** A document whose marked part is replaced by the table; the document itself where it has no such part. */
export function replaceCommandTable(document: string, table: string): string {
  const start = document.indexOf(COMMANDS_START);
  const end = document.indexOf(COMMANDS_END);
  if (start < 0 || end < start) return document;
  return `${document.slice(0, start + COMMANDS_START.length)}\n${table}\n${document.slice(end)}`;
}
