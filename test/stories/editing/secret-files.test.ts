import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, move, read, remove, write } from '../support/story.ts';

/** With every line that the App can log. */
const stage = stageForAll({ environment: { LOG_LEVEL: 'trace' } });

/** Files that usually contain secrets, each with a text that must never be sent anywhere. */
const SECRET = [
  '.env',
  'config/.env.production',
  'certs/server.pem',
  'deploy.key',
  '.ssh/id_ed25519',
  '.npmrc',
  '.netrc',
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

  it('the run comment lists the files that the model has read (I4)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(read('src/total.ts'), read('README.md'), read('.env'));
    await ana.says('/countersign look around');
    expect(bot.run().body).toContain('The model read `README.md` and `src/total.ts`.');
  });
});

/** More files of the built-in list, each of another kind. */
const OTHER_SECRET_FILES = [
  ...['prod.env', 'secrets.json', 'deploy/kubeconfig', 'terraform.tfstate', '.git-credentials', '.pgpass'],
  ...['.aws/credentials', '.htpasswd', '.docker/config.json', '.pypirc', 'credentials.json', 'service-account.json'],
];

it('files of the longer list are neither read, listed nor searched (X10)', async () => {
  const hidden = Object.fromEntries(OTHER_SECRET_FILES.map((path) => [path, `token=${CANARY}\n`]));
  const { ana, model } = await stage().tell({ files: { ...hidden, 'README.md': `# Shop\n` } });
  model.proposes(
    ...OTHER_SECRET_FILES.map((path) => read(path)),
    { name: 'search', arguments: { query: 'canary' } },
    { name: 'list_files', arguments: {} },
  );
  await ana.says('/countersign look for the token');
  const outputs = model.toolMessages();
  for (const [at, path] of OTHER_SECRET_FILES.entries())
    expect(outputs[at]).toMatch(`Cannot read '${path}': path may not be read (`);
  expect(outputs.at(-2)).toContain('No line contains "canary"');
  expect(outputs.at(-1)).toBe('1 file in the repository:\nREADME.md');
  expect(JSON.stringify(model.requests())).not.toContain(CANARY);
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
    expect(JSON.parse(applied ?? '')).toMatchObject({
      details: {
        diff: expect.stringContaining(" export const token = '[redacted]';\n-export const size = 3;"),
        note: '[redacted] stands for a secret, which is not shown and cannot be edited',
      },
    });
    expect(JSON.parse(deleted ?? '').details.diff).toContain('-# ours\n-[redacted]\n-[redacted]\n');
  });

  it('stays in the file: an edit across it, and a write of the placeholder, are refused with the reason (X10)', async () => {
    const { ana, bot, model, pr } = await stage().tell({ branch: { 'src/config.ts': CONFIG } });
    model.proposes(
      read('src/config.ts'),
      edit('src/config.ts', "token = '[redacted]'", "token = ''"),
      edit('src/config.ts', 'size = 3', "size = '[redacted]'"),
      write('src/config.ts', CONFIG.replace(TOKEN, '[redacted]').replace('3', '4')),
    );
    model.proposes(write('notes.md', 'Logs have [redacted] for a token.\n'));
    await ana.says('/countersign tidy up');
    expect(bot.proposals()).toHaveLength(1);
    await ana.says('/approve all');
    const [, crossing, ...writing] = model.allToolMessages();
    expect(crossing).toBe(
      'Not proposed: old_string crosses a place of src/config.ts that is shown as [redacted]. A secret stands there; it is not shown to you, and an edit cannot replace it. Use only text beside it.',
    );
    for (const output of writing.slice(0, 2))
      expect(output).toContain('the new text of src/config.ts has the word [redacted], which stands for a secret');
    expect(pr.file('src/config.ts')).toBe(CONFIG);
    expect(pr.file('notes.md')).toContain('[redacted]');
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

  it('is not uncovered by an edit beside it (X10)', async () => {
    const url = "db = 'postgres://app:hunter2secret@db.example.com/shop'\n";
    const { ana, bot, model } = await stage().tell({ branch: { 'src/db.py': url } });
    model.proposes(read('src/db.py'), edit('src/db.py', "db = 'postgres://", "db = 'postgres:/"));
    await ana.says('/countersign tidy up');
    expect(bot.proposals()).toEqual([]);
    const [shown, refused] = model.toolMessages();
    expect(shown).toContain('[redacted]');
    expect(refused).toContain('A secret stands there');
    expect(JSON.stringify(model.requests())).not.toContain('hunter2secret');
  });

  it('whose value is on the row below its name is not uncovered either, by the agent or by a person’s own lines (X10)', async () => {
    const value = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLE'.padEnd(40, 'k3Y');
    const config = `aws-secret-access-key:\n  ${value}\nregion: x # ${TOKEN}\n`;
    const { ana, bot, model, pr } = await stage().tell({ branch: { 'deploy.yaml': config } });
    model.proposes(read('deploy.yaml'), edit('deploy.yaml', '\nregion: x', 'abc\nregion: x'));
    model.proposes(edit('deploy.yaml', 'region: x', 'region: y'));
    await ana.says('/countersign tidy up');
    expect(bot.proposals()).toHaveLength(1);
    await ana.replies(bot.proposal(1), `\`\`\`suggestion\nregion: z # my${TOKEN}\n\`\`\``);
    expect(pr.file('deploy.yaml')).toBe(config);
    expect(bot.answer()).toContain('a secret in it, or beside it, would no longer be recognized as one');
    await ana.replies(bot.proposal(1), '```suggestion\nregion: z\n```');
    expect(pr.file('deploy.yaml')).toBe(`aws-secret-access-key:\n  ${value}\nregion: z\n`);
    const [shown, refused] = model.allToolMessages();
    expect(shown).toContain('[redacted]\n[redacted]\nregion: x # [redacted]\n');
    expect(refused).toContain(
      'Not proposed: beside the changed text of deploy.yaml is a place that is shown as [redacted].',
    );
    for (const secret of [value, TOKEN]) expect(JSON.stringify(model.requests())).not.toContain(secret.slice(12, 24));
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

it('a web token with many claims and passwords in unusual addresses do not reach the model (X10)', async () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.eyJ${'a1B2c3'.repeat(400)}.${'Zx9y_'.repeat(60)}`;
  const rows = [
    token,
    'postgres://shop:hunter2@Kq9xZ7w@db.example/shop',
    'smtp://ana@acme.example:Wv3pL8t@smtp.example',
  ];
  const { ana, model } = await stage().tell({ branch: { 'src/logins.txt': `${rows.join('\n')}\nlast row\n` } });
  model.proposes(read('src/logins.txt'));
  await ana.says('/countersign look at the logins');
  const sent = JSON.stringify(model.requests().map(({ body }) => body));
  expect(sent).toContain('last row');
  for (const secret of ['Zx9y_Zx9y_', 'Kq9xZ7w', 'Wv3pL8t']) expect(sent).not.toContain(secret);
});

it('two changes that are harmless alone do not uncover a secret together (X10)', async () => {
  const header = Buffer.from('{"alg":"HS256","kid":"a1b2c3"}').toString('base64url');
  const token = `${header}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N`;
  // As long as an AWS secret key, so that the name of one above it makes it look like its value.
  expect(header).toHaveLength(40);
  const file = ['// tokens', '//', '// one', '//', '//', '// foo bar baz', '//', '//', '//', `"${token}"`, ''].join(
    '\n',
  );
  const { ana, bot, model, pr } = await stage().tell({ branch: { 'src/tokens.ts': file } });
  model.proposes(edit('src/tokens.ts', '// one', '// secret_key'), edit('src/tokens.ts', '// foo bar baz', '// foo'));
  model.proposes(read('src/tokens.ts'));
  await ana.says('/countersign tidy the comments');
  expect(bot.proposals()).toHaveLength(2);
  await ana.says('/approve all');
  expect(pr.file('src/tokens.ts')).toContain('// secret_key');
  expect(model.allToolMessages().join('\n')).toContain('[redacted]');
  expect(model.allToolMessages().join('\n')).not.toContain('dozjgNryP4J3jVmNHl0w5N');
});
