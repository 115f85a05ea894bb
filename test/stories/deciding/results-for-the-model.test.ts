import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { DEFAULT_FILES } from '../support/pull-request.ts';
import { edit, read, write } from '../support/story.ts';

const stage = stageForAll();

function denied(login: string, reason = ''): string {
  return `Edit rejected by ${login} (write access)${reason}. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.`;
}

describe('results for the model', () => {
  it('R43: an approval returns what was applied, the commit and the approver, and not the diff again (S101, S2)', async () => {
    const { ana, bot, model, pr } = await propose(stage(), BIGINT);
    await ana.replies(bot.proposal(1), '/approve');
    expect(model.toolMessages().map((output) => JSON.parse(output))).toEqual([
      {
        path: 'src/total.ts',
        replacements_made: 1,
        lines_changed: 1,
        message: 'Successfully replaced text in src/total.ts. Replaced 1 line at line 3.',
        commit: pr.commits()[0]?.sha.slice(0, 7),
        approved_by: [`${ana.login} (write access)`],
        details: { userModified: false },
      },
    ]);
  });

  it('R43: the results of long changes are short, also of one over many places (S168)', async () => {
    const text = (word: string, lines: number): string => `the "${word}" \t of this page\n`.repeat(lines);
    const names = ['one', 'two', 'three'];
    const { ana, bot, model } = await propose(
      stage(),
      ...names.map((name) => write(`docs/${name}.txt`, text(name, 1_900))),
      {
        name: 'change_files',
        arguments: {
          summary: 'Ten pages.',
          changes: Array.from({ length: 10 }, (_, n) => ({ op: 'write', path: `pages/${n}.txt`, content: 'page\n' })),
        },
      },
    );
    expect(bot.proposals()).toHaveLength(4);
    await ana.says('/approve all');
    const outputs = model.toolMessages();
    expect(Buffer.byteLength(outputs.join(''))).toBeLessThan(1_500);
    expect(JSON.parse(outputs[0] ?? '')).toMatchObject({ message: 'Wrote 1900 lines to docs/one.txt.' });
    expect(JSON.parse(outputs[3] ?? '')).toMatchObject({ message: 'Applied all 10 files.' });
  });

  it('a denial returns a decision with the person, the role and the reason (S101, S140)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT);
    await ana.replies(bot.proposal(1), '/deny callers expect a number\nall of them');
    expect(model.toolMessages()).toEqual([denied(ana.login, ': callers expect a number\nall of them')]);
  });

  it('an instruction is returned verbatim; the change proposed next gets its own thread (S99, S106)', async () => {
    const { ana, bot, model, pr, stored } = await propose(stage(), BIGINT);
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let sum = 0n;\n'));
    const words = await ana.replies(bot.proposal(1), 'Call it `sum`: $& stays,\nand so do\ttabs.');
    expect(model.toolMessages()).toEqual([
      '[USER FEEDBACK - Tool was not executed]: Call it `sum`: $& stays,\nand so do\ttabs.',
    ]);
    expect(bot.reactionsOn(words)).toEqual(['+1']);
    expect(bot.answers()).toEqual([]);
    const [first, second] = bot.proposals();
    expect(bot.proposals()).toHaveLength(2);
    expect(first?.body).toContain(`Replaced by [\`${second?.proposalId}\`](`);
    expect(first?.resolved).toBe(true);
    expect(second?.resolved).toBe(false);
    expect(await proposalStates({ stored })).toEqual(['rejected', 'proposed']);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(
      `was already sent back by \`${ana.login}\` for something else and replaced by \`${second?.proposalId}\``,
    );
  });

  it('what others wrote beside their votes stands below an instruction, and each note names its person (S42, S140)', async () => {
    const files = { ...DEFAULT_FILES, '.github/countersign.yml': 'required_approvals: 2\n' };
    const { ana, ben, bot, model } = await stage().tell({ files });
    model.proposes(BIGINT, EXACTLY);
    await ana.says('/countersign use bigint');
    await ana.says('/approve all\nMind the callers.');
    await ben.replies(bot.proposal(1), 'Call it sum.');
    await ben.replies(bot.proposal(2), '/approve\nIn French soon.');
    const [instruction, applied] = model.toolMessages();
    expect(instruction).toBe(
      `[USER FEEDBACK - Tool was not executed]: ${ben.login} (write access): Call it sum.\n\nEarlier, ${ana.login} (write access): Mind the callers.`,
    );
    expect(JSON.parse(applied ?? '')).toMatchObject({
      user_note: `${ana.login} (write access): Mind the callers.\n\n${ben.login} (write access): In French soon.`,
    });
  });

  it('a mixed batch is returned in one request, with one result per call, in the order of the calls (S102, S104, S105)', async () => {
    const before = { 'a.ts': 'a();\n', 'b.ts': 'b();\n', 'c.ts': 'c();\n', 'd.ts': 'd();\n' };
    const { ana, ben, bot, model } = await stage().tell({ files: before });
    const calls = [
      edit('a.ts', 'a();', 'a(1);'),
      edit('b.ts', 'b();', 'b(1);'),
      edit('c.ts', 'c();', 'c(1);'),
      write('d.ts', 'allNew();\n'),
    ];
    model.proposes(read('d.ts'));
    model.proposes(...calls);
    await ana.says('/countersign give each an argument');
    await ana.replies(bot.proposal(3), 'Give it two.');
    await ana.replies(bot.proposal(1), '/approve');
    await ben.pushes({ 'd.ts': 'd(2);\n' });
    expect(model.requests()).toHaveLength(2);
    await ana.replies(bot.proposal(2), '/deny no');
    expect(model.requests()).toHaveLength(3);
    const outputs = model.toolMessages();
    expect(outputs).toHaveLength(calls.length);
    expect(JSON.parse(outputs[0] ?? '')).toMatchObject({ path: 'a.ts', replacements_made: 1 });
    expect(outputs[1]).toBe(denied(ana.login, ': no'));
    expect(outputs[2]).toBe('[USER FEEDBACK - Tool was not executed]: Give it two.');
    expect(outputs[3]).toMatch(/^Not applied: d\.ts changed after this change was proposed \(base \w{7}, now \w{7}\)/);
    const asked = model.lastMessages().findLast(({ role }) => role === 'assistant');
    expect(asked?.calls.map(({ name }) => name)).toEqual(calls.map(({ name }) => name));
  });

  it('no result is sent while a call is undecided; /continue withdraws the undecided ones and continues (S103)', async () => {
    const { ana, bot, model, stored } = await propose(stage(), BIGINT, EXACTLY);
    await ana.replies(bot.proposal(1), '/deny');
    expect(model.requests()).toHaveLength(1);
    await ana.says('/continue');
    expect(model.toolMessages()).toEqual([denied(ana.login), 'Withdrawn: no decision was made.']);
    expect(await proposalStates({ stored })).toEqual(['rejected', 'superseded']);
    expect(bot.proposal(2).body).toContain(`\`${ana.login}\` went on without it`);
    expect(bot.proposal(2).resolved).toBe(true);
  });

  it('a whole batch denied without a reason ends the run with one summary (S110)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT, EXACTLY);
    await ana.says('/deny all');
    expect(model.requests()).toHaveLength(1);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain('because every change of its last response was denied without a reason');
  });

  it('one reason in a denied batch keeps the run going (S110)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT, EXACTLY);
    await ana.replies(bot.proposal(1), '/deny');
    await ana.replies(bot.proposal(2), '/deny say it in French');
    expect(model.requests()).toHaveLength(2);
  });

  it('messages from before and during a stopped batch are kept (S107)', async () => {
    const { ana, stored } = await propose(stage(), read('README.md'));
    await ana.says('/stop');
    const { run } = await stored();
    const kept = await stage()
      .store()
      .loadTranscript(run?.id ?? '');
    expect(kept.map(({ role }) => role).slice(0, 4)).toEqual(['system', 'user', 'assistant', 'tool']);
  });
});
