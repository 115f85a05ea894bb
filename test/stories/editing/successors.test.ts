import { describe, expect, it } from 'vitest';
import type { Posted } from '../support/bot.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, row, rows } from '../support/rows.ts';
import { edit } from '../support/story.ts';

const stage = stageForAll();

/** The lines of a page that name the version before or after it. */
const links = (body = '') => body.match(/^Replace[sd] .*$/gm) ?? [];

/** A line with a link to this comment. */
function linkTo(verb: string, comment: Pick<Posted, 'proposalId' | 'id'> | undefined) {
  const { proposalId = '', id = 0 } = comment ?? {};
  return expect.stringMatching(
    new RegExp(`^${verb} \\[\`${proposalId}\`\\]\\(https?://[^)]+/pull/\\d+#[^)]*${id}\\)\\.$`),
  );
}

describe('a change and its next version name each other', () => {
  it('after a push that made the change stale, also when the model reads the file first (S94, S106)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 20: 200 });
    const { ana, ben, bot, model } = story;
    model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    model.proposes(edit(ROWS_PATH, row(5, 55), row(5, 50)));
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 55 }) });
    await ana.replies(bot.proposal(2), '/approve');
    const [first, second, third] = bot.proposals();
    expect(links(first?.body)).toEqual([linkTo('Replaced by', third)]);
    expect(links(second?.body)).toEqual([]);
    expect(links(third?.body)).toEqual([linkTo('Replaces', first)]);
  });

  it('after a denial with a reason, which stays a denial (S101, S106)', async () => {
    const { ana, bot, model, pr } = await proposeRows(stage(), { 5: 50, 20: 200 });
    model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    model.proposes(editRow(5, 51));
    await ana.replies(bot.proposal(2), '/deny');
    await ana.replies(bot.proposal(1), '/deny callers expect an odd number');
    const [first, second, third] = bot.proposals();
    expect(first?.body).toContain(`**Rejected by user** \`${ana.login}\`.`);
    expect(bot.run().body).toContain(`| rejected, now \`${third?.proposalId}\` | \`${ana.login}\` |`);
    expect(links(first?.body)).toEqual([linkTo('Replaced by', third)]);
    expect(links(second?.body)).toEqual([]);
    expect(links(third?.body)).toEqual([linkTo('Replaces', first)]);
    await ana.replies(bot.proposal(3), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 51 }));
    expect(bot.proposal(3).body).toContain(`Replaces [\`${first?.proposalId}\`](`);
    expect(bot.answer()).toContain('1 change applied');
    expect(bot.answer()).toContain('2 rejected');
  });

  it('but not a change of another place of the file, nor of another file (S106)', async () => {
    const { ana, bot, model } = await proposeRows(stage(), { 1: 10 });
    model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    model.proposes(editRow(24, 240), { name: 'write_file', arguments: { path: 'src/new.ts', content: 'one\n' } });
    await ana.replies(bot.proposal(1), '/deny not this row');
    expect(bot.proposals().flatMap(({ body }) => links(body))).toEqual([]);
  });
});
