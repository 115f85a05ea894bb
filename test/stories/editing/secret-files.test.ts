import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, move, read, remove, write } from '../support/story.ts';

const stage = stageForAll();

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
        edit(path, 'not what stands there', 'x'),
        write(path, 'x\n'),
        remove(path),
        move(path, 'notes.txt'),
      ]),
    );
    model.proposes(
      { name: 'search', arguments: { pattern: 'canary' } },
      { name: 'list_files', arguments: {} },
      read('README.md'),
      { name: 'read_file', arguments: { path: 'certs/../.env' } },
    );
    await ana.says('/countersign look for the token');
    const told = JSON.stringify(model.requests().map(({ body }) => body));
    expect(told).not.toContain(CANARY);
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
