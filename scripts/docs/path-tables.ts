import { PROTECTED_FILES, SECRET_FILES } from '../../src/core/policy/path-tables.ts';

const TABLES = [
  {
    start: '<!-- secret files: written by npm run docs -->',
    end: '<!-- end of secret files -->',
    header: ['kind', 'files'],
    rows: SECRET_FILES.map(({ what, ...globs }) => [what, formatFiles(globs)]),
  },
  {
    start: '<!-- protected files: written by npm run docs -->',
    end: '<!-- end of protected files -->',
    header: ['kind', 'effect', 'files'],
    rows: PROTECTED_FILES.map(({ kind, effect, ...globs }) => [kind, effect, formatFiles(globs)]),
  },
] as const;

/** The page with its tables of built-in paths replaced. Throws if the page has no place for a table. */
export function replacePathTables(page: string): string {
  return TABLES.reduce((text, { start, end, header, rows }) => {
    const [before, rest] = text.split(start);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`The page has no place for ${start}`);
    const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    return `${before}${start}\n${lines.join('\n')}\n${end}${after}`;
  }, page);
}

/** A slash at the start stands for the root. */
function formatFiles({ files, rootFiles = [] }: Globs): string {
  return [...rootFiles.map((file) => `/${file}`), ...files].map((file) => `\`${file}\``).join(' ');
}

type Globs = { readonly files: readonly string[]; readonly rootFiles?: readonly string[] };
