import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';

const stage = stageForAll();

/** A set of this many new files. */
function newFiles(folder: string, count: number): ScriptedCall {
  const list = Array.from({ length: count }, (_, at) => ({ op: 'write', path: `${folder}/${at}.txt`, content: 'x\n' }));
  return { name: 'change_files', arguments: { summary: 'Add files.', changes: list } };
}

describe('the undo of a set beside many open changes', () => {
  it('is proposed only while one commit can name all of them (S146, S92)', async () => {
    const { ana, bot, model, pr } = await stage().tell();
    model.proposes(newFiles('first', 30));
    await ana.says('/countersign add files');
    const { proposalId } = bot.proposal(1);
    model.proposes(...Array.from({ length: 10 }, (_, at) => newFiles(`more${at}`, at === 9 ? 29 : 30)));
    await ana.says(`/approve ${proposalId}`);
    expect(bot.proposals()).toHaveLength(11);

    await ana.says(`/undo ${proposalId}`);
    expect(bot.answer()).toContain('329 places would wait for a decision, and one commit can name at most 300');
    expect(bot.proposals()).toHaveLength(11);

    await ana.says(`/deny ${bot.proposal(2).proposalId}`);
    await ana.says(`/undo ${proposalId}`);
    expect(bot.proposals()).toHaveLength(12);
    await ana.says('/approve all');
    expect(pr.bytes('first/0.txt')).toBeNull();
    expect(pr.file('more9/28.txt')).toBe('x\n');
    expect(pr.commits()).toHaveLength(2);
  }, 60_000);
});
