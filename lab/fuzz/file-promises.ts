import { strict as assert } from 'node:assert';
import { pack } from 'tar-stream';
import { fetchArchive } from '../../src/adapters/github/repository.ts';
import { findNewSyntaxError } from '../../src/adapters/syntax/new-syntax-error.ts';
import { MAX_FILE_BYTES } from '../../src/core/edits/text/limits.ts';
import { findOwners } from '../../src/core/policy/code-owners.ts';
import { parseSettings } from '../../src/core/settings/repo-settings.ts';
import type { Settings } from '../../src/core/state/settings.ts';
import { GitHubError } from '../../src/core/step/ports.ts';
import { parseJson } from '../../src/lib/trust.ts';
import { repack, unpack } from './mutate.ts';
import { SETTINGS_FILES } from './seeds.ts';

/** Lines that can stand below any accepted file without their key, and the only setting that each changes. */
const SETTING_LINES: readonly (readonly [line: string, effect: Partial<Settings>])[] = [
  ['required_approvals: 3', { requiredApprovals: 3 }],
  ['decide_in: conversation', { decideIn: 'conversation' }],
  ['# end', {}],
];

/** Lines that break any file. */
const BREAKING_LINES = ['required_aprovals: 3', 'expiry: 2d\nexpiry: 3d', 'required_approvals: many'];

/** A file is broken with problems of its own lines, or a line below it changes its own setting and no other. */
export function checkSettings(bytes: Buffer, parse: typeof parseSettings = parseSettings): void {
  const reading = parse({ kind: 'file', bytes });
  if (reading.kind === 'broken') {
    assert.ok(!SETTINGS_FILES.includes(bytes.toString()), reading.problems[0]);
    assert.ok(reading.problems.length > 0);
    const lineCount = bytes.toString().split(/\r\n|\n|\r/).length;
    for (const problem of reading.problems) {
      assert.match(problem, /^(?:line \d+: [^\r\n]+|and \d+ more)$/);
      assert.ok(Number(/^line (\d+)/.exec(problem)?.[1] ?? 1) <= lineCount, `${problem} (of ${lineCount} lines)`);
    }
    return;
  }
  const withLine = (line: string) => parse({ kind: 'file', bytes: Buffer.concat([bytes, Buffer.from(`\n${line}\n`)]) });
  for (const [line, effect] of SETTING_LINES) {
    const again = withLine(line);
    if (again.kind === 'settings') assert.deepEqual(again.settings, { ...reading.settings, ...effect }, line);
    else if (SETTINGS_FILES.includes(bytes.toString())) assert.ok(bytes.includes(line.split(':')[0] ?? line), line);
  }
  for (const line of BREAKING_LINES) assert.equal(withLine(line).kind, 'broken', line);
}

/** Paths whose owners are asked for, besides those that the file itself names. */
const OWNED_PATHS = [
  'src/total.ts',
  'src/deep/total.ts',
  'docs/guide.md',
  'README.md',
  'Readme.md',
  'apps/Docs/a.TS',
  'x',
];

const MAX_NAMED_PATHS = 20;

/** So often a file stands below itself: a reader that is slower than linear shows in the time. */
const COPIES = 40;

/** Owners are those of the last line that matches, by the rules of plain patterns, also far down in a large file. */
export function checkCodeOwners(bytes: Buffer, find: typeof findOwners = findOwners): void {
  const text = bytes.toString('latin1');
  const named = text.match(/(?<![^\s/])\w[\w.-]*(?:\/\w[\w.-]*)*(?![^\s/])/g) ?? [];
  const paths = [...new Set([...OWNED_PATHS, ...named.slice(0, MAX_NAMED_PATHS)])];
  // A path can have the name of a member that every object inherits.
  const ownersIn = (file: Buffer) => new Map(Object.entries(find({ bytes: file, paths }).owners));
  const owners = ownersIn(bytes);
  const lines = text.split(/\r\n|\r|\n/).reverse();
  for (const path of paths) {
    const expected = lastOwners(lines, path);
    if (expected !== null) assert.deepEqual(owners.get(path) ?? [], expected, path);
  }
  const copies = Array.from({ length: COPIES }, () => Buffer.concat([bytes, Buffer.from('\n')]));
  // A byte order mark counts only at the beginning of a file.
  if (!text.includes('\xEF\xBB\xBF')) assert.deepEqual(ownersIn(Buffer.concat(copies)), owners, 'below itself');
  const last = ownersIn(Buffer.concat([bytes, Buffer.from('\n/src/ @zed @acme/tools # both\n/docs/\n')]));
  for (const path of paths) {
    const added = path.startsWith('src/') ? ['@zed', '@acme/tools'] : path.startsWith('docs/') ? [] : owners.get(path);
    assert.deepEqual(last.get(path) ?? [], added ?? [], `${path}, with two lines below`);
  }
}

/** The owners by the last line that matches; null if a line decides that is not plain. */
function lastOwners(linesFromEnd: readonly string[], path: string): readonly string[] | null {
  for (const line of linesFromEnd) {
    const [pattern = '', ...owners] = line
      .replace(/(?:^|\s)#.*$/s, '')
      .split(/\s+/)
      .filter((word) => word !== '');
    if (pattern === '' && owners.length === 0 && !/[^\x20-\x7E\t]/.test(line)) continue;
    const isPlain = !/[^\x20-\x7E\t]|\\/.test(line) && owners.every((owner) => PLAIN_OWNER.test(owner));
    const matches = isPlain ? matchesPlainPattern(pattern, path) : null;
    if (matches === null) return null;
    if (matches) return owners;
  }
  return [];
}

const PLAIN_OWNER = /^(?=.{2,100}$)@[a-z\d]+(?:-[a-z\d]+)*(?:\/[a-z\d]+(?:-[a-z\d]+)*)?$/;

/** Whether a pattern matches: `*`, `*.ts`, `name`, `name/`, `/name`, `a/b` and `a/*` are plain; null for any other. */
function matchesPlainPattern(pattern: string, path: string): boolean | null {
  const segments = path.split('/');
  const ending = /^\*((?:\.\w+)?)$/.exec(pattern)?.[1];
  if (ending !== undefined) return segments.some((segment) => segment.endsWith(ending));
  const [, root, name = '', below] = /^(\/?)(\w[\w.-]*(?:\/\w[\w.-]*)*)(\/\*?)?$/.exec(pattern) ?? [];
  if (root === undefined) return null;
  if (below === '/*') return segments.slice(0, -1).join('/') === name;
  if (root === '' && !name.includes('/')) return segments.slice(0, below === '/' ? -1 : undefined).includes(name);
  return path.startsWith(`${name}/`) || (below === undefined && path === name);
}

const TAR_BLOCK = 512;

/** A file ahead of all others, a link, and a file whose header says that it is larger than any archive may be. */
const FIRST_ENTRIES = {
  known: await tarOf((tar) => tar.entry({ name: 'shop-1/known.txt' }, 'known\n')),
  link: await tarOf((tar) => tar.entry({ name: 'shop-1/known-link', type: 'symlink', linkname: 'known.txt' })),
  oversized: withSize(await tarOf((tar) => tar.entry({ name: 'shop-1/oversized.bin' }, '')), 100_000_001),
} as const;

/** The blocks of one entry, without those that end an archive. */
async function tarOf(add: (tar: ReturnType<typeof pack>) => void): Promise<Buffer> {
  const tar = pack();
  add(tar);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).subarray(0, -2 * TAR_BLOCK);
}

/** A header with another size, and the sum of its bytes that fits. */
function withSize(header: Buffer, size: number): Buffer {
  const changed = Buffer.from(header);
  changed.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  changed.write(' '.repeat(8), 148, 'latin1');
  const sum = changed.reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return changed;
}

/** An archive gives its plain files as they are, fails as an error of GitHub, or is refused because of its size. */
export async function checkArchive(bytes: Buffer, fetch: typeof fetchArchive = fetchArchive): Promise<void> {
  await readArchive(bytes, fetch);
  const rest = unpack(bytes) ?? Buffer.alloc(2 * TAR_BLOCK);
  const behind = (...first: readonly Buffer[]) => readArchive(repack(Buffer.concat([...first, rest])), fetch);
  const files = await behind(FIRST_ENTRIES.link, FIRST_ENTRIES.known);
  if (files instanceof Map) {
    assert.equal(files.get('known.txt')?.toString(), 'known\n');
    assert.ok(!files.has('known-link'), 'a link is a file');
  }
  assert.equal(await behind(FIRST_ENTRIES.known, FIRST_ENTRIES.oversized), 'too-large');
}

async function readArchive(
  bytes: Buffer,
  fetch: typeof fetchArchive,
): Promise<ReadonlyMap<string, Uint8Array> | 'too-large' | 'failed'> {
  const body = new Blob([new Uint8Array(bytes)]).stream();
  const client = { rest: { repos: { downloadTarballArchive: async () => ({ data: body }) } } };
  const read = (send: (one: typeof client) => Promise<unknown>) => send(client);
  const connection = Object.assign(Object.create(null), { ref: { owner: 'acme', repo: 'shop' }, read });
  try {
    const files = await fetch(connection, 'c'.repeat(40));
    for (const [path, file] of files ?? [])
      assert.ok(typeof path === 'string' && file instanceof Uint8Array && file.length <= MAX_FILE_BYTES);
    return files ?? 'too-large';
  } catch (error) {
    assert.ok(error instanceof GitHubError, String(error));
    return 'failed';
  }
}

/** A line that no accepted text of this ending can have below it, because it closes what is not open. */
const CLOSING_LINES: Readonly<Record<string, string>> = {
  ...{ json: '}', toml: '}', ts: '}', py: '}', go: '}' },
  yml: ']: [',
};

/** Such a line can be text in a YAML document that is no mapping, and templates are not checked. */
const NOT_PLAIN_YAML = /^(?!\w+:(?: |\n))|(?:^|[\r\n])(?:---|\.\.\.)|\{\{|\{%|<%/;

/** An error is on a line of the text, valid JSON has none, and a line that closes nothing below a text is one. */
export async function checkSyntax(text: string, find: typeof findNewSyntaxError = findNewSyntaxError): Promise<void> {
  const [path = '', ...lines] = text.split('\n');
  const after = lines.join('\n');
  const ending = /^[a-z]\.(\w+)$/.exec(path)?.[1] ?? '';
  const problem = await find({ path, before: null, after });
  if (problem !== null) {
    assert.equal(problem.path, path);
    assert.ok(problem.line >= 1 && problem.line <= after.split(/\r\n|\n|\r/).length, `line ${problem.line}`);
    if (ending === 'json') assert.throws(() => parseJson(after));
    return;
  }
  const closing = CLOSING_LINES[ending];
  if (closing === undefined || (ending === 'yml' && NOT_PLAIN_YAML.test(after))) return;
  const broken = `${after}\n${closing}`;
  assert.notEqual(await find({ path, before: after, after: broken }), null, 'a closing bracket below it');
  assert.equal(await find({ path, before: broken, after: broken }), null, 'it was broken before');
}
