import { PROTECTED_FILES, SECRET_FILES } from '../../src/core/policy/path-tables.ts';

const TABLES = [
  {
    start: '<!-- secret files: written by npm run docs -->',
    end: '<!-- end of secret files -->',
    header: ['kind', 'files'],
    rows: SECRET_FILES.map(({ what, files }) => [what, formatFiles(files)]),
  },
  {
    start: '<!-- protected files: written by npm run docs -->',
    end: '<!-- end of protected files -->',
    header: ['kind', 'effect', 'files'],
    rows: PROTECTED_FILES.map(({ kind, effect, files, rootFiles = [] }) => [
      kind,
      effect,
      formatFiles([...rootFiles.map((file) => `/${file}`), ...files]),
    ]),
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

function formatFiles(files: readonly string[]): string {
  return files.map((file) => `\`${file}\``).join(' ');
}
