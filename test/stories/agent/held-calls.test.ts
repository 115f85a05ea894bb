import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, row, tellRows } from '../support/rows.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

const READING: ScriptedCall = { name: 'read_file', arguments: { path: ROWS_PATH } };

const SLIP = edit(ROWS_PATH, 'nowhere', 'x');

const HELD = 'It will be shown together with your next changes; do not send it again.';

/** A pull request whose model sends these responses, and then ends. */
async function responding(...responses: readonly (readonly ScriptedCall[])[]): Promise<Story> {
  const story = await tellRows(stage());
  for (const calls of responses) story.model.proposes(...calls);
  await story.ana.says('/countersign give the rows other values');
  return story;
}

function notesOf({ model }: Story): readonly string[] {
  const messages = model.requests().at(-1)?.messages ?? [];
  return messages.flatMap(({ role, content }) =>
    role === 'user' && content?.startsWith('Results of the calls that were held, each as JSON:') ? [content] : [],
  );
}

describe('a response that changes and reads', () => {
  it('shows nothing to people; its changes come with the next ones, and their outcomes in one note (S149, T20)', async () => {
    const story = await responding([READING, editRow(5, 50), SLIP], [editRow(9, 90)]);
    const { ana, bot, model } = story;
    const second = model.requests()[1]?.messages ?? [];
    const [read, held, refused] = second.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    expect(read).toContain(row(5));
    expect(held).toBe(
      `Held: valid, and not shown to people yet, because calls of the same response only read or have to be corrected. ${HELD}`,
    );
    expect(refused).toContain('old_string not found');
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.proposal(1).body).toContain(row(5, 50));
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny not that row');
    expect(model.toolMessages()).toEqual([expect.stringContaining('(write access): not that row.')]);
    const [note, ...more] = notesOf(story);
    expect(more).toEqual([]);
    expect(note).toMatch(
      /^Results of the calls that were held, each as JSON:\nedit_file src\/rows\.ts \(call_\d+_1\): \{"path":"src\/rows\.ts"/,
    );
  });

  it('is shown when the model ends, and its outcome is told before the run ends (S149)', async () => {
    const story = await responding([READING, editRow(5, 50)]);
    expect(story.bot.proposals()).toHaveLength(1);
    await story.ana.says('/deny too high');
    expect(notesOf(story)).toEqual([expect.stringContaining('(write access): too high.')]);
    expect(story.bot.answer()).toContain('the run finished');
  });

  it('is held at most three times in a row (S149)', async () => {
    const mixed = (n: number) => [READING, editRow(n, n * 10)];
    const { bot, model } = await responding(mixed(2), mixed(5), mixed(8), mixed(11));
    expect(model.requests()).toHaveLength(4);
    expect(bot.proposals()).toHaveLength(4);
  });

  it('a held change that no longer applies is told as its outcome, and the others are shown (S149)', async () => {
    const story = await tellRows(stage());
    story.model.proposes(READING, editRow(5, 50));
    const pushed = Promise.withResolvers<void>();
    story.model.says({ calls: [editRow(9, 90)], sendAfter: pushed.promise });
    const saying = story.ana.says('/countersign give the rows other values');
    await expect.poll(() => story.model.requests().length).toBe(2);
    story.ben.person.pushes({ [ROWS_PATH]: story.pr.file(ROWS_PATH)?.replace(row(5), 'gone();') ?? '' });
    pushed.resolve();
    await saying;
    expect(story.bot.proposals()).toHaveLength(1);
    await story.ana.says('/approve all');
    expect(notesOf(story)).toEqual([expect.stringContaining('old_string not found in src/rows.ts')]);
  });

  it('survives a restart, and a question names what is held and what is shown (S149, S111)', async () => {
    const story = await tellRows(stage());
    const answer = Promise.withResolvers<void>();
    story.model.proposes(READING, editRow(5, 50));
    story.model.says({ calls: [editRow(9, 90)], sendAfter: answer.promise });
    const saying = story.ana.says('/countersign give the rows other values');
    await expect.poll(() => story.model.requests().length).toBe(2);
    answer.resolve();
    await saying;
    await stage().restart();
    story.model.says({ content: 'Soon.' });
    await story.ana.says('/ask when?');
    const asked = JSON.stringify(story.model.requests().at(-1)?.messages);
    expect(asked).toContain('Held: valid');
    expect(asked).toContain('Results of the calls that were held, each as JSON:');
    expect(notesOf(story)[0]).toContain('"status":"pending_approval"');
    await story.ana.says('/approve all');
    expect(story.pr.file(ROWS_PATH)).toContain(row(5, 50));
  });
});
