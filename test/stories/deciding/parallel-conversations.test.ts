import { describe, expect, it } from 'vitest';
import type { RequestLogEntry } from '../../../fakes/github/api-server.ts';
import type { ChatRequest } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { read, type Story, write } from '../support/story.ts';

const stage = stageForAll();

/** Texts in a repository's file, the pull request's title, the task and the proposal. */
const words = (canary: string) => ['file', 'title', 'task', 'change', 'note'].map((place) => `${canary}-${place}`);

async function tellWith(canary: string): Promise<Story> {
  return stage().tell({ title: `${canary}-title`, branch: { 'notes.txt': `${canary}-file\n` } });
}

/** Runs both conversations at the same time, step by step. */
async function talk(stories: readonly (readonly [Story, string])[]): Promise<void> {
  const { settle, pass } = stage();
  const each = async (action: (story: Story, canary: string) => unknown): Promise<void> => {
    pass(2);
    for (const [story, canary] of stories) action(story, canary);
    pass(2);
    await settle();
  };
  for (const _ of [...stories, ...stories]) stage().model.script((request) => answerTo(request, stories));
  await each(({ ana }, canary) => ana.person.says(`/countersign look into ${canary}-task`));
  await each(({ ana }, canary) => ana.person.says(`@countersign mind ${canary}-note`));
  await each(({ ana, bot }) => ana.person.says(`/approve ${bot.proposal(1).proposalId}`));
}

/** Reads the file first, then proposes another. */
function answerTo({ messages }: ChatRequest, stories: readonly (readonly [Story, string])[]) {
  const asked = JSON.stringify(messages);
  const found = stories.find(([, canary]) => asked.includes(`${canary}-task`));
  if (found === undefined) throw new Error('No task matches this request.');
  return { calls: [asked.includes('"tool"') ? write('new.txt', `${found[1]}-change\n`) : read('notes.txt')] };
}

function requestText(record: RequestLogEntry): string {
  return `${decodeURIComponent(record.target)} ${JSON.stringify(record.body)}`;
}

/** Each row of a diff begins with a sign. */
function isNoDiffRow(line: string): boolean {
  return !/^[-+ ]/.test(line);
}

describe('parallel conversations', () => {
  it('nothing of one installation reaches another: no text, no files, no tokens (I11)', async () => {
    const [left, right] = [await tellWith('walnut'), await tellWith('pistachio')];
    const before = stage().github.requests.length;
    await talk([
      [left, 'walnut'],
      [right, 'pistachio'],
    ]);
    const calls = stage().github.requests.slice(before);
    for (const [story, own, foreign] of [
      [left, 'walnut', 'pistachio'],
      [right, 'pistachio', 'walnut'],
    ] as const) {
      expect(story.pr.file('new.txt')).toBe(`${own}-change\n`);
      const requests = story.model.requests().map(({ body }) => JSON.stringify(body));
      expect(requests).toHaveLength(3);
      for (const word of words(own)) expect(requests.join('')).toContain(word);
      expect(requests.join('')).not.toContain(foreign);
      const about = calls.filter((record) => decodeURIComponent(record.target).includes(`${story.pr.fullName}/`));
      expect(about.length).toBeGreaterThan(10);
      for (const record of about) {
        expect(requestText(record)).not.toContain(foreign);
        expect(record.caller).toMatchObject({ kind: 'installation', repositoryIds: [story.pr.repositoryId] });
      }
    }
    const holders = calls.flatMap(({ caller }) => (caller.kind === 'installation' ? [caller] : []));
    expect(new Set(holders.map(({ installationId }) => installationId)).size).toBe(2);
    for (const { token } of holders)
      expect(new Set(holders.filter((one) => one.token === token).map((one) => one.installationId)).size).toBe(1);
  });

  it('the model learns nothing of another pull request of the same repository (D11)', async () => {
    const first = await tellWith('walnut');
    await talk([[first, 'walnut']]);
    const second = await first.alsoTo('next');
    const before = stage().model.requests.length;
    second.model.says({ content: 'Nothing to do.' });
    await second.ana.says('/countersign have a look');
    const asked = stage().model.requests.slice(before);
    expect(asked).toHaveLength(1);
    // Both have the same branch, so the diff holds its files; the texts and history of the other one stay there.
    for (const word of ['walnut-task', 'walnut-note']) expect(JSON.stringify(asked[0]?.body)).not.toContain(word);
    const besideDiff = asked[0]?.messages.flatMap(({ content }) => content?.split('\n').filter(isNoDiffRow) ?? []);
    for (const word of ['walnut-change', 'walnut-file']) expect(besideDiff?.join('\n')).not.toContain(word);
  });
});
