import { describe, expect, it, vi } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { Files } from '../support/pull-request.ts';
import { edit, move, remove, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const LOGO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0xff);

const FILES: Files = {
  'README.md': '# Shop\n\nSells things.\n',
  'src/old.ts': 'export const a = 1;\nexport const b = 2;\n',
  'src/used.ts': 'export const used = true;\n',
  'bin/run.sh': '#!/bin/sh\necho run\n',
  'logo.png': LOGO,
};

async function proposeAll(calls: readonly ScriptedCall[], more: { files?: Files } = {}): Promise<Story> {
  const story = await stage().tell({ files: { ...FILES, ...more.files }, executable: ['bin/run.sh'], branch: OTHER });
  story.model.proposes(...calls);
  await story.ana.says('/countersign tidy up');
  return story;
}

const OTHER = { 'other.txt': 'new\n', 'README.md': '# Shop\n\nSells many things.\n' };

const trailers = (message: string) => message.split('\n').filter((line) => line.startsWith('Countersign-'));

describe('deletions', () => {
  it('a file is deleted after one approval, and the trailers name its lines (S1a, S20, S23, S27, S31, S73, S101)', async () => {
    const story = await proposeAll([remove('src/old.ts', { reason: 'Nothing imports it.' })]);
    const posted = story.bot.proposal(1);
    expect(posted.body).toContain('**Delete** `src/old.ts` (2 lines)');
    expect(posted.body).toContain(
      '```diff\n--- a/src/old.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-export const a = 1;\n-export const b = 2;\n```',
    );
    expect(posted.body).not.toContain('```suggestion');
    expect(posted.body).toContain('Nothing imports it.');
    expect(story.pr.commits()).toEqual([]);

    await story.ana.replies(posted, `/approve ${posted.proposalId}`);
    const [commit] = story.pr.commits();
    expect(story.pr.bytes('src/old.ts')).toBeNull();
    expect(commit?.message).toMatch(/^Nothing imports it\n\n/);
    expect(trailers(commit?.message ?? '')).toContain('Countersign-Range: 1,2 0,0');
    expect(JSON.parse(story.model.toolMessages()[0] ?? '')).toMatchObject({
      path: 'src/old.ts',
      lines_changed: 2,
      message: 'Deleted src/old.ts.',
      details: { userModified: false },
    });
    expect(story.bot.proposal(1).body).toContain('**Completed:** applied');
    expect(story.bot.run().body).toContain('`src/old.ts` (delete)');
  });

  it('a binary file is deleted by its blob, and the comment gives its size (S1a, S15)', async () => {
    const story = await proposeAll([remove('logo.png')]);
    const posted = story.bot.proposal(1);
    expect(posted.body).toContain('**Delete** `logo.png` (9 bytes, not text)');
    expect(posted.body).toContain('This file is not text');
    await story.ana.replies(posted, `/approve ${posted.proposalId}`);
    const [commit] = story.pr.commits();
    expect(story.pr.bytes('logo.png')).toBeNull();
    expect(trailers(commit?.message ?? '').join()).not.toContain('Countersign-Range');
  });

  it('a proposal whose file changed meanwhile is withdrawn, and the model gets T7 (S93)', async () => {
    const story = await proposeAll([remove('src/old.ts')]);
    await story.ben.pushes({ 'src/old.ts': 'export const a = 3;\n' });
    expect(story.bot.proposal(1).body).toContain('**Withdrawn**');
    expect(story.model.toolMessages()[0]).toMatch(
      /^Not applied: src\/old\.ts changed after this change was proposed \(base /,
    );
    expect(story.pr.file('src/old.ts')).toBe('export const a = 3;\n');
  });

  it('a deletion found in a push is credited to the pusher; an emptied file is not a deleted one (S50, B10)', async () => {
    const story = await proposeAll([remove('src/old.ts'), remove('src/used.ts')]);
    await story.ben.pushes({ 'src/old.ts': null });
    expect(story.bot.proposal(1).body).toContain(`**Completed:** applied by \`${story.ben.login}\``);
    expect(story.pr.commits()).toHaveLength(1);
    await story.ben.pushes({ 'src/used.ts': '' });
    expect(story.bot.proposal(2).body).toContain('**Withdrawn**');
    expect(story.pr.file('src/used.ts')).toBe('');
  });
});

describe('moves', () => {
  it('an executable file stays executable under its new path, byte for byte (S1a, E5, S20, S31)', async () => {
    const story = await proposeAll([move('bin/run.sh', 'scripts/deep/start.sh')]);
    const posted = story.bot.proposal(1);
    expect(posted.body).toContain('**Move** `bin/run.sh` to `scripts/deep/start.sh` (2 lines)');
    await story.ana.replies(posted, `/approve ${posted.proposalId}`);
    const [commit] = story.pr.commits();
    expect(story.pr.bytes('bin/run.sh')).toBeNull();
    expect(story.pr.file('scripts/deep/start.sh')).toBe('#!/bin/sh\necho run\n');
    expect(story.pr.mode('scripts/deep/start.sh')).toBe('100755');
    expect(commit?.message).toMatch(/^Move bin\/run\.sh to scripts\/deep\/start\.sh\n/);
    expect(trailers(commit?.message ?? '').map((line) => line.split(':')[0])).toEqual([
      'Countersign-Proposal',
      'Countersign-Digest',
    ]);
    expect(JSON.parse(story.model.toolMessages()[0] ?? '')).toEqual({
      path: 'scripts/deep/start.sh',
      message: 'Moved bin/run.sh to scripts/deep/start.sh.',
      commit: commit?.sha.slice(0, 7),
      approved_by: [`${story.ana.login} (write access)`],
      details: { userModified: false },
    });
    expect(story.bot.run().body).toContain('`bin/run.sh` → `scripts/deep/start.sh`');
  });

  it('a move can change only the letter case, of a file or of a directory that contains nothing else (E6)', async () => {
    const story = await proposeAll([move('README.md', 'Readme.md'), move('bin/run.sh', 'Bin/run.sh')]);
    await story.ana.says('/approve all');
    expect(story.pr.commits()).toHaveLength(1);
    expect(story.pr.file('Readme.md')).toBe('# Shop\n\nSells many things.\n');
    expect(story.pr.bytes('README.md')).toBeNull();
    expect([story.pr.mode('Bin/run.sh'), story.pr.mode('bin/run.sh')]).toEqual(['100755', null]);
  });

  it('a move whose target was created meanwhile overwrites nothing (S93)', async () => {
    const story = await proposeAll([move('src/old.ts', 'src/new.ts'), move('src/used.ts', 'src/needed.ts')]);
    await story.ben.pushes({ 'src/new.ts': 'mine\n' });
    await story.ben.pushes({ 'src/used.ts': 'export const used = false;\n' });
    expect(story.bot.proposal(1).body).toContain('`src/new.ts` changed after this was proposed');
    expect(story.bot.proposal(2).body).toContain('`src/used.ts` changed after this was proposed');
    expect(story.model.toolMessages().map((output) => output.split(' changed')[0])).toEqual([
      'Not applied: src/new.ts',
      'Not applied: src/used.ts',
    ]);
    expect(story.pr.file('src/new.ts')).toBe('mine\n');
  });

  it('a move found in a push is credited to the pusher, even if only the letter case changed (S50)', async () => {
    const story = await proposeAll([move('src/old.ts', 'src/new.ts'), move('README.md', 'readme.md')]);
    await story.ben.pushes({ 'src/old.ts': null, 'src/new.ts': String(FILES['src/old.ts']) });
    expect(story.bot.proposal(1).body).toContain(`**Completed:** applied by \`${story.ben.login}\``);
    await story.ben.pushes({ 'README.md': null, 'readme.md': OTHER['README.md'] });
    expect(story.bot.proposal(2).body).toContain(`**Completed:** applied by \`${story.ben.login}\``);
    expect(story.pr.commits()).toHaveLength(2);
  });
});

describe('a commit whose response is lost', () => {
  it.each([
    ['a deletion', remove('src/old.ts'), 'graphql createCommitOnBranch', 'src/old.ts'],
    ['a move', move('bin/run.sh', 'start.sh'), 'graphql updateRefs', 'bin/run.sh'],
  ])('%s is found by its result, and made once (S78, G3)', async (_, call, route, gone) => {
    const story = await proposeAll([call]);
    stage().github.faults.add({ kind: 'fail-after-apply', status: 502, route });
    await story.ana.says('/approve');
    await vi.waitFor(() => expect(story.bot.proposal(1).body).toContain('**Completed:** applied'), { timeout: 25_000 });
    await stage().settle();
    expect(story.pr.commits()).toHaveLength(1);
    expect(story.pr.bytes(gone)).toBeNull();
    expect(story.model.toolMessages()).toHaveLength(1);
  });
});

describe('several changes at once', () => {
  it('a deletion, an edit, a move and a new file land in one commit (S96)', async () => {
    const story = await proposeAll([
      remove('src/old.ts'),
      edit('src/used.ts', 'true', 'false'),
      move('bin/run.sh', 'start.sh'),
      write('src/added.ts', 'export {};\n'),
    ]);
    await story.ana.says('/approve all');
    const [commit, ...more] = story.pr.commits();
    expect(more).toEqual([]);
    expect(commit?.message).toMatch(/^Apply 4 changes to 4 files\n/);
    expect(commit?.message.match(/Countersign-Proposal/g)).toHaveLength(4);
    expect(story.pr.bytes('src/old.ts')).toBeNull();
    expect(story.pr.file('src/used.ts')).toBe('export const used = false;\n');
    expect(story.pr.mode('start.sh')).toBe('100755');
    expect(story.pr.file('src/added.ts')).toBe('export {};\n');
    expect(story.model.toolMessages()).toHaveLength(4);
  });

  it('of two changes that share a path, source, target or a parent of one, the later is refused (S18, S153, E16)', async () => {
    const story = await proposeAll([
      move('src/old.ts', 'lib'),
      write('lib/x.ts', 'x\n'),
      edit('src/old.ts', 'a = 1', 'a = 2'),
      remove('src/old.ts'),
      move('src/used.ts', 'LIB'),
      remove('src/used.ts'),
    ]);
    const output = story.model.allToolMessages();
    for (const at of [1, 2, 3, 4]) expect(output[at]).toContain('touches that of another call.');
    expect(story.bot.proposals()).toHaveLength(2);
    await story.ana.says('/approve all');
    expect(story.pr.bytes('src/used.ts')).toBeNull();
    expect(story.pr.file('lib')).toBe(FILES['src/old.ts']);
  });
});

describe('calls refused before people see a proposal (S17)', () => {
  const CALLS: readonly (readonly [string, ScriptedCall, string])[] = [
    ['a path above the root (S13)', remove('../x'), "Cannot access '../x': path is outside the repository."],
    ['deleting a workflow (S14)', remove('.github/workflows/ci.yml'), 'path is read-only (.github/workflows/**).'],
    [
      'moving a secret to a readable path (S14)',
      move('.env', 'notes.txt'),
      "Cannot write '.env': path is read-only (.env*).",
    ],
    ['deleting a missing file (S1a)', remove('src/none.ts'), 'File not found: src/none.ts.'],
    ['moving a missing file (S1a)', move('src/none.ts', 'x'), 'File not found: src/none.ts.'],
    ['a directory (E16)', remove('src'), "Cannot access 'src': it is a directory."],
    ['a target that exists (S1a)', move('README.md', 'src/used.ts'), 'a move overwrites nothing'],
    ['its own path as the target (S7)', move('README.md', 'README.md'), 'a move overwrites nothing'],
    [
      'a target next to a name in another letter case (E6)',
      move('src/used.ts', 'readme.md'),
      "'README.md' exists and differs only in case",
    ],
  ];

  it('files that cannot be deleted or moved (S13, S14, S1a, S17, E2, E6, E16)', async () => {
    const story = await proposeAll(
      CALLS.map(([, call]) => call),
      { files: { '.env': 'TOKEN=1\n', '.github/workflows/ci.yml': 'on: push\n' } },
    );
    expect(story.bot.proposals()).toEqual([]);
    const output = story.model.toolMessages();
    for (const [at, [name, , words]] of CALLS.entries()) expect(output[at], name).toContain(words);
  });
});
