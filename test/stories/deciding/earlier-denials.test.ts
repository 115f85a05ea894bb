import { describe, expect, it } from 'vitest';
import { firstMessage, rowsBelow } from '../support/first-message.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, propose } from '../support/proposals.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

/** What the newest run was told that people decided in the run right before. */
function decidedBefore(story: Story): unknown {
  return rowsBelow(firstMessage(story), 'Earlier runs').at(-1)?.['decided'];
}

describe('the run right after a denial', () => {
  it('R46: is told which lines were denied, by whom and why', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot } = story;
    await ana.replies(bot.proposal(1), '/deny callers expect a number');
    await ana.replies(bot.proposal(2), 'In French, please.');
    await ana.says('/countersign try something else');
    expect(decidedBefore(story)).toEqual([
      {
        change: 'edit src/total.ts',
        outcome: 'denied',
        by: [ana.login],
        lines: '-  let total = 0;\n+  let total = 0n;',
        reasons: ['callers expect a number'],
      },
      expect.objectContaining({ outcome: 'asked for something else', reasons: ['In French, please.'] }),
    ]);
  });

  it('R46: also if that run ended with it, or was stopped before the model heard of it', async () => {
    const denied = [expect.objectContaining({ outcome: 'denied', lines: expect.stringContaining('0n;') })];
    const story = await propose(stage(), BIGINT);
    await story.ana.says('/deny all');
    await story.ana.says('/countersign try something else');
    expect(decidedBefore(story)).toEqual(denied);
    const stopped = await propose(stage(), BIGINT, EXACTLY);
    await stopped.ana.replies(stopped.bot.proposal(1), '/deny');
    await stopped.ana.says('/stop');
    await stopped.ana.says('/countersign try something else');
    expect(decidedBefore(stopped)).toEqual(denied);
  });

  it('R46: but not the lines of a file that people must first approve to be read again', async () => {
    const files = { 'payroll/list.ts': 'export const all = 1;\n' };
    const story = await stage().tell({ files });
    await story.configures('rules: [{tools: [read_file], paths: ["payroll/**"], decide: ask}]\n');
    story.model.proposes({ name: 'read_file', arguments: { path: 'payroll/list.ts' } });
    story.model.proposes(edit('payroll/list.ts', 'all = 1', 'all = 2'));
    await story.ana.says('/countersign raise it');
    await story.ana.says('/approve');
    await story.ana.says('/deny all');
    await story.ana.says('/countersign try something else');
    expect(decidedBefore(story)).toEqual([
      { change: 'edit payroll/list.ts', outcome: 'denied', by: [story.ana.login] },
    ]);
  });
});
