import type { ParsedCall } from '../src/tools/parse-call.ts';
import type { WorkOut } from '../src/worker/work-out.ts';

const MOST = 5_900_000;
const content = (written: string): string => `{"path":"a","content":${written}}`;
const text = (written: string): string => content(`"${written.repeat(Math.floor(MOST / written.length))}"`);

/** Arguments of `write_file` as a model writes them, and some that were made up to keep the process busy. */
export const PARSED_CALLS: readonly (readonly [name: string, written: string])[] = [
  ['source code', content(JSON.stringify('const total = price(order);\n'.repeat(71_000)))],
  ['line feeds', text('\\n')],
  ['quotes', text('\\"')],
  ['backslashes', text('\\\\')],
  ['letters by their numbers', text('\\u00e9')],
  ['blanks', content(`${' '.repeat(MOST)}""`)],
  ['a long number', content('1'.repeat(MOST))],
  ['a string without an end', `{"content":"${'a'.repeat(MOST)}`],
  ['lists in lists', content('['.repeat(MOST / 2) + ']'.repeat(MOST / 2))],
  ['a long list', content(`[${'[],'.repeat(MOST / 3)}[]]`)],
  ['long keys', `{${Array.from({ length: 300 }, (_, at) => `"${'k'.repeat(18_000)}${at}":0`).join(',')}}`],
  ['many keys', `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":0`).join(',')}}`],
];

/** Reads such arguments. */
export function parsed(written: string, workOut: WorkOut): Promise<ParsedCall> {
  return workOut('parseCall', { name: 'write_file', arguments: written });
}
