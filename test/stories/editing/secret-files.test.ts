import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, move, read, remove, write } from '../support/story.ts';

/** With every line that the App can log. */
const stage = stageForAll({ environment: { LOG_LEVEL: 'trace' } });

/** Files that usually contain secrets, each with a text that must never be sent anywhere. */
const SECRET = [
  ...['.env', 'config/.env.production', 'certs/server.pem', 'deploy.key', '.ssh/id_ed25519', '.npmrc', '.netrc'],
];

const CANARY = 'canary-of-a-secret-file';

const files = Object.fromEntries(SECRET.map((path) => [path, `token=${CANARY}\n`]));

describe('files that contain secrets', () => {
  it('cannot be read, found, listed, quoted or moved by any tool, and their content reaches neither the model nor a comment (I4)', async () => {
    const story = await stage().tell({ files: { ...files, 'README.md': '# Shop\n' }, branch: { 'b.txt': 'b\n' } });
    const { ana, bot, model, pr } = story;
    model.proposes(
      ...SECRET.flatMap((path) => [
        read(path),
        edit(path, 'token=', 'x='),
        edit(path, 'a text of another file', 'x'),
        write(path, 'x\n'),
        remove(path),
        move(path, 'notes.txt'),
      ]),
    );
    model.proposes(
      { name: 'search', arguments: { query: 'canary' } },
      { name: 'list_files', arguments: {} },
      read('README.md'),
      { name: 'read_file', arguments: { path: 'certs/../.env' } },
    );
    await ana.says('/countersign look for the token');
    const sent = JSON.stringify(model.requests().map(({ body }) => body));
    expect(sent).not.toContain(CANARY);
    expect(stage().logged.join('')).not.toContain(CANARY);
    expect(JSON.stringify(bot.comments())).not.toContain(CANARY);
    expect(bot.proposals()).toEqual([]);
    expect(pr.commits()).toEqual([]);
    const [, refused = [], looked = []] = model
      .requests()
      .map(({ messages }) =>
        messages
          .slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
          .map(({ content }) => content ?? ''),
      );
    expect(refused).toHaveLength(6 * SECRET.length);
    for (const output of refused)
      expect(output).toMatch(/^Cannot (?:read|write) '.+': path (?:may not be read|is read-only) \(/);
    expect(looked.slice(0, 2).join('\n')).not.toMatch(/\.env|\.pem|\.key|id_ed|\.npmrc|\.netrc/);
    expect(looked[2]).toContain('# Shop');
    expect(looked[3]).toContain('outside the repository');
  });
});

describe('a secret in another file', () => {
  /** Assembled here, so that secret scanners do not report this file. */
  const TOKEN = `sk_live_${'aB3d'.repeat(9)}`;
  const KEY = ['-----BEGIN PRIVATE KEY-----', 'Zx9y'.repeat(16), 'Qw7e'.repeat(16), '-----END PRIVATE KEY-----'];
  const CONFIG = `export const name = 'shop';\nexport const token = '${TOKEN}';\nexport const size = 3;\n`;

  it('reaches the model in no result: it reads, finds and gets a placeholder and a note (X10)', async () => {
    const { ana, bot, model, pr } = await stage().tell({
      files: { 'src/config.ts': CONFIG, 'keys.txt': `# ours\n${KEY.join('\n')}\n# end\n` },
      branch: { 'b.txt': 'b\n' },
    });
    model.proposes(
      read('src/config.ts'),
      { name: 'read_file', arguments: { path: 'keys.txt', start: 3, end: 6 } },
      { name: 'search', arguments: { query: 'token' } },
      { name: 'search', arguments: { query: TOKEN.slice(0, 12) } },
      { name: 'search', arguments: { query: 'Qw7e' } },
      edit('src/config.ts', TOKEN.slice(0, 12), 'x'),
    );
    model.proposes(edit('src/config.ts', 'size = 3', 'size = 4'), remove('keys.txt'));
    await ana.says('/countersign make it bigger');
    expect(bot.proposals()).toHaveLength(2);
    await ana.says('/approve all');
    expect(pr.file('src/config.ts')).toBe(CONFIG.replace('size = 3', 'size = 4'));
    expect(pr.bytes('keys.txt')).toBeNull();
    const sent = JSON.stringify(model.requests().map(({ messages }) => messages.filter(({ role }) => role === 'tool')));
    for (const part of [TOKEN, ...KEY.slice(1, 3)].map((line) => line.slice(8, 24))) {
      expect(sent).not.toContain(part);
      expect(stage().logged.join('')).not.toContain(part);
    }
    const [config, keys, found, guessed, inKey, edited, applied, deleted] = model.allToolMessages();
    expect(config).toContain("export const token = '[redacted]';\nexport const size = 3;\n");
    expect(config).toContain('in 1 line [redacted] stands for a secret, which is not shown and cannot be edited');
    expect(keys?.split('\n').slice(1)).toEqual(['[redacted]', '[redacted]', '[redacted]', '# end', '']);
    expect(found).toContain("src/config.ts:2:export const token = '[redacted]';\n[redacted] stands for a secret");
    for (const output of [guessed, inKey]) expect(output).toContain('No line contains');
    expect(edited).toContain('old_string not found in src/config.ts');
    expect(edited).toContain('Secrets, shown as [redacted], cannot be matched.');
    expect(JSON.parse(applied ?? '').message).toContain('Successfully replaced text in src/config.ts.');
    expect(JSON.parse(deleted ?? '').message).toBe('Deleted keys.txt.');
  });

  it('copied as its placeholder into another file, it is pointed out to people before they decide (X10)', async () => {
    const { ana, bot, model } = await stage().tell({
      files: { 'src/config.ts': CONFIG },
      branch: { 'notes.md': '# Notes\n\nNone.\n' },
    });
    const copy = CONFIG.replace(TOKEN, '[redacted]');
    model.proposes(
      read('src/config.ts'),
      write('src/other.ts', copy),
      edit('notes.md', 'None.', "token: '[redacted]'"),
      write('src/size.ts', 'export const size = 3;\n'),
    );
    await ana.says('/countersign split it');
    const warnings = bot.proposals().map(({ body }) => /⚠️ .*/.exec(body)?.[0].replaceAll('\\', ''));
    expect(warnings).toEqual([
      expect.stringContaining('which the agent sees in place of a secret: line 3.'),
      expect.stringContaining('which the agent sees in place of a secret: line 2.'),
      undefined,
    ]);
  });

  it('does not reach the model with a task in a review thread on its line (X10)', async () => {
    const { ana, model, pr } = await stage().tell({ branch: { 'src/config.ts': CONFIG } });
    model.proposes(read('README.md'));
    const comment = { path: 'src/config.ts', line: 2, commitSha: pr.head(), body: '/countersign move this away' };
    await ana.does(({ actor }) => {
      const here = { actor, repositoryId: pr.repositoryId, number: pr.number };
      stage().github.apply(OPERATIONS.createReviewComment, { ...here, ...comment });
    });
    expect(JSON.stringify(model.requests())).not.toContain(TOKEN.slice(8, 24));
    expect(JSON.stringify(model.requests())).toContain('Where the task was written');
  });
});
