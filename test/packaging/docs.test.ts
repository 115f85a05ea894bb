import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseSettings } from '../../src/core/settings/repo-settings.ts';

const root = join(import.meta.dirname, '../..');

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'lab/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

function anchorsOf(page: string): readonly string[] {
  return [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

/** Links inside the repository without a target. */
function brokenLinks(page: string): readonly string[] {
  const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
}

/** Files and folders of the repository in code spans, such as `src/core/decide.ts`, that do not exist. */
function missingPaths(page: string): readonly string[] {
  const spans = [...withoutCode(read(page)).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const paths = spans.filter((span) => /^(?:src|test|fakes|demo|lab|docs|scripts|\.ci)\/[\w./-]+$/.test(span));
  return paths.filter((path) => !EXAMPLES.includes(path) && !existsSync(join(root, path)));
}

/** Paths of other repositories, in examples. */
const EXAMPLES: readonly string[] = ['src/total.ts'];

function spansOf(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
}

/** The constant messages of the log, as the source has them: the last argument of a log call, or a fault's message. */
function writtenMessages(): readonly string[] {
  const sources = ['app', 'adapters', 'worker'].flatMap((room) =>
    readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join('src', room, name))),
  );
  const call = /\blog(?:\.(?:debug|info|warn|error)|\[level\])\((?:[^;]|;(?!\n))*?'([^'\n]+)',?\s*\)/g;
  const fault = /\b(?:message|endMessage): '([^'\n]+[^.'\n])'/g;
  const found = sources.flatMap((text) => [...text.matchAll(call), ...text.matchAll(fault)]);
  return [...new Set(found.map(([, message = '']) => message))].sort();
}

describe('the documentation', () => {
  it('has a row for each model endpoint that a test plays (S167)', () => {
    const files = readdirSync(join(root, 'test/fixtures/endpoints')).filter((name) => name.endsWith('.json'));
    const page = read('docs/models.md');
    expect(files.length).toBeGreaterThanOrEqual(9);
    expect(files.filter((file) => !page.includes(`](../test/fixtures/endpoints/${file}) |`))).toEqual([]);
  });

  it.each(pages)('%s has links and paths that exist', (page) => {
    expect({ links: brokenLinks(page), paths: missingPaths(page) }).toEqual({ links: [], paths: [] });
  });

  it('explains every log message that the server writes, and no other (O13)', () => {
    const page = read('docs/operations.md');
    const logs = page.slice(page.indexOf('## Logs\n'), page.indexOf('## Start, stop, pause\n'));
    const nothing = read('docs/troubleshooting.md');
    const [, table = ''] = logs.split('| message | what to do |');
    const explained = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => spansOf(cell));
    const written = writtenMessages();
    expect(written.length).toBeGreaterThan(50);
    expect(explained.filter((message) => !written.includes(message))).toEqual([]);
    const known = [
      ...explained,
      ...spansOf(
        nothing
          .split('\n')
          .filter((line) => line.startsWith('|'))
          .join('\n'),
      ),
    ];
    expect(written.filter((message) => !known.includes(message))).toEqual([]);
  });

  it('shows settings that the reader accepts', () => {
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(read('docs/configuration.md')) ?? [];
    const reading = parseSettings({ kind: 'file', bytes: Buffer.from(example) });
    expect(reading).toMatchObject({ kind: 'settings', settings: { approvers: 'maintain', requiredApprovals: 2 } });
  });

  it.each(pages)('%s has no marks of a conflict', (page) => {
    expect(read(page)).not.toMatch(/^(?:<{7}|={7}|>{7})(?: |$)/m);
  });

  it('has an issue form that is YAML', () => {
    expect(parse(read('.github/ISSUE_TEMPLATE/bug.yml'))).toMatchObject({ name: 'Bug report' });
  });
});

/** The tests that the security page names for its claims: files, stories, or names below a folder that comes first. */
function namedProofs(): readonly string[] {
  const [, claims = ''] = read('docs/security.md').split(/^## (?:Claims.*|Who decides)$/m);
  const rows = claims.match(/^\| [^|]+ \| `[^|]+ \|$/gm) ?? [];
  return rows.flatMap((row) => {
    const [first = '', ...others] = spansOf(row.split('|')[2] ?? '');
    if (!first.endsWith('/'))
      return [first, ...others].map((name) => (name.startsWith('test/') ? name : `test/stories/${name}.test.ts`));
    return others.map((name) => `${first}${name}.test.ts`);
  });
}

it('every test that the security page names exists', () => {
  const proofs = namedProofs();
  expect(proofs.length).toBeGreaterThan(40);
  expect(proofs.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe('npm run docs', () => {
  const writeDocs = (...argv: readonly string[]) =>
    promisify(execFile)(process.execPath, [join(root, 'scripts/write-docs.ts'), ...argv]);

  it('explains itself and refuses unknown arguments, and then writes nothing', async () => {
    const writtenAt = () => statSync(join(root, 'docs/commands.md')).mtimeMs;
    const before = writtenAt();
    expect((await writeDocs('--help')).stdout).toMatch(/^Usage: npm run docs\n/);
    for (const argument of ['--check', 'rooms'])
      await expect(writeDocs(argument)).rejects.toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^npm run docs: .*'${argument}'.* See npm run docs -- --help\\.\\n$`)),
      });
    expect(writtenAt()).toBe(before);
  });
});
