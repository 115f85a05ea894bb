import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { firstMessage, rowsBelow, taskIn } from '../support/first-message.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** The author writes the description of the pull request. */
async function describePull({ pr, carl }: Story, body: string): Promise<void> {
  await carl.does(({ actor }) =>
    stage().github.apply(OPERATIONS.editPullRequest, {
      ...{ actor, repositoryId: pr.repositoryId, number: pr.number, body },
    }),
  );
}

const HEADINGS = [
  'The pull request, as data',
  'The repository’s instructions',
  'Directories and how many files are in them',
  'The diff against the merge base',
  'Earlier runs on this pull request',
  'Comments of the conversation',
  'The code around commented and named lines',
  'The task, in the words of',
];

/** Counted with the tokenizer o200k_base for the largest request below; prose has more. */
const CHARACTERS_PER_TOKEN = 3.7;

describe('the first message of a run', () => {
  it('has its blocks in one order, the task last, and all but task and instructions as material (S136)', async () => {
    const files = { 'src/total.ts': 'let total = 0;\n', 'AGENTS.md': 'Write short functions.\n' };
    const story = await stage().tell({ files, branch: { 'src/total.ts': 'let total = 1;\n' }, draft: true });
    const { ana, ben } = story;
    await describePull(story, 'Counts better. <!-- hidden -->');
    await ana.says('/countersign look around');
    await ben.says('The total should be a bigint.');
    await ana.says('/countersign do what the comment above says in total.ts:1');
    const message = firstMessage(story);
    const places = HEADINGS.map((heading) => message.indexOf(heading));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    const isInstruction = /instructions, from its default branch|The task, in the words/;
    for (const heading of HEADINGS.filter((one) => !isInstruction.test(one) && !one.includes('instructions')))
      expect(message.split('\n').find((line) => line.startsWith(heading))).toContain('material');
    expect(taskIn(message)).toBe('do what the comment above says in total.ts:1');
    expect(message).toContain('\nsrc/total.ts:\n1\tlet total = 1;\n');
    const data = JSON.parse(message.slice(message.indexOf('{'), message.indexOf('\n}\n') + 2));
    expect(data).toMatchObject({
      title: 'Work on the shop',
      description: 'Counts better.',
      author: story.carl.login,
      base: 'main',
      head: 'topic',
      draft: true,
      fork: false,
      changed: [{ path: 'src/total.ts', status: 'modified', added: 1, removed: 1 }],
    });
    expect(message).toContain('diff of src/total.ts:\n@@ -1 +1 @@\n-let total = 0;\n+let total = 1;\n');
    expect(message).toContain('\n(all) 2\nsrc/ 1\n');
  });

  it('for a pull request of 20 files is below 12 k tokens, with the tools and the system prompt (S136)', async () => {
    const line = (n: number): string => `  const value${n} = compute(input.part${n}, { strict: true }); // step ${n}\n`;
    const text = (n: number): string => Array.from({ length: 40 }, (_, at) => line(at + n)).join('');
    const paths = Array.from({ length: 20 }, (_, n) => `packages/shop/src/part${n % 5}/module${n}.ts`);
    const files = Object.fromEntries(paths.map((path, n) => [path, text(n)]));
    const branch = Object.fromEntries(
      paths.map((path, n) => [path, text(n).replaceAll('strict: true', 'strict: false')]),
    );
    const story = await stage().tell({ files, branch });
    await describePull(story, 'Makes every step lenient. '.repeat(150));
    await story.ana.says('/countersign make them strict again');
    const [request] = story.model.requests();
    const characters = JSON.stringify(request?.messages).length + JSON.stringify(request?.tools ?? []).length;
    expect(characters / CHARACTERS_PER_TOKEN).toBeLessThan(12_000);
    expect(firstMessage(story)).toContain('"path":"packages/shop/src/part4/module19.ts"');
  });

  it('R42: names the files of the root folder, at most 60, and counts the others', async () => {
    const names = Array.from({ length: 70 }, (_, n) => `note ${String(n).padStart(2, '0')}.md`);
    const files = Object.fromEntries([...names, '.env', 'src/a.ts'].map((name) => [name, `${name}\n`]));
    const story = await stage().tell({ files });
    await story.ana.says('/countersign look around');
    const line = firstMessage(story)
      .split('\n')
      .find((one) => one.startsWith('in the root folder: '));
    expect(line).toContain('in the root folder: "note 00.md" "note 01.md" ');
    expect(line).toMatch(/"note 59\.md" and 10 more$/);
  });

  it('has the answer of the last run whole, since the task is often about it, and earlier ones cut (S136, S157)', async () => {
    const story = await stage().tell();
    const { ana, model } = story;
    const answer = (word: string): string => `${'The rounding is wrong in the third place. '.repeat(30)}${word}`;
    for (const word of ['First end.', 'Second end.']) {
      model.says({ content: answer(word) });
      await ana.says('/countersign what is wrong');
    }
    await ana.says('/countersign then mend the last point');
    const [first, second] = rowsBelow(firstMessage(story), 'Earlier runs');
    expect(second).toMatchObject({ your_last_words: answer('Second end.') });
    expect(JSON.stringify(first).length).toBeLessThan(500);
  });

  it('leaves out secret files and masks secrets, also of a file that was renamed from one (S136)', async () => {
    const secret = `${'token = 1234567890abcdef\n'.repeat(3)}more\n`;
    const story = await stage().tell({
      files: { '.env': secret, 'a.ts': 'a\n' },
      branch: {
        '.env': null,
        'config.txt': secret.replace('more', 'less'),
        'a.ts': "a('ghp_0123456789abcdefghij0123456789abcdef')\n",
      },
    });
    await story.ana.says('/countersign look around');
    const message = firstMessage(story);
    expect(message).not.toContain('1234567890abcdef');
    expect(message).not.toContain('.env');
    expect(message).not.toContain('ghp_0123456789');
    expect(message).toContain('[redacted]');
    expect(message).toContain('"changed_not_listed": 1');
  });

  it('is sent without the parts that GitHub refuses, and says which (S136)', async () => {
    const story = await stage().tell();
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
    stage().github.faults.add({ route, kind: 'fail-before-apply', status: 422 });
    await story.ana.says('/countersign look around');
    const message = firstMessage(story);
    expect(message).toContain('The diff against the merge base: could not be read.');
    expect(taskIn(message)).toBe('look around');
  });
});
