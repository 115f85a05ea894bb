import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { requestsSince } from '../support/requests.ts';
import { edit, move, remove, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'e.txt': 'five\n' };

/** A call of each tool that changes files. */
const EVERY_CHANGE = [
  edit('a.txt', 'one', '1'),
  write('new.txt', 'new\n'),
  remove('b.txt'),
  move('c.txt', 'd.txt'),
  {
    name: 'change_files',
    arguments: {
      summary: 'Write five as a digit.',
      changes: [
        { op: 'edit', path: 'e.txt', old_string: 'five', new_string: '5' },
        { op: 'write', path: 'f.txt', content: '6\n' },
      ],
    },
  },
];

/** Every key that bears on approvals, as loose as it can be. */
const LOOSEST = `commands: short
approvers: write
require_non_author: false
require_non_requester: false
required_approvals: 1
rules: [{ tools: [read_file], paths: ['**'], decide: allow }]
require: []
protected_paths: []
standing_approvals: glob
review_event: comment
review_approval: approve-all
`;

/** Attempts to let a change be made without asking. */
const GATE_OFF = [
  'required_approvals: 0\n',
  'confirm_edits: false\n',
  'auto_approve: true\n',
  "rules: [{ tools: [edit_file], paths: ['**'], decide: allow }]\n",
  "require: [{ paths: ['**'], approvals: 0 }]\n",
];

function installationOf({ pr }: Story): number {
  const { ownerId } = pr.repository();
  const installations = [...stage().github.state().installations.values()];
  return installations.find(({ accountId }) => accountId === ownerId)?.id ?? 0;
}

describe('no tool changes a file by itself', () => {
  it('under the loosest settings that a file can have (S128)', async () => {
    const { ana, bot, configures, model, pr } = await stage().tell({ files: FILES, branch: { 'z.txt': 'z\n' } });
    await configures(LOOSEST);
    const refs = pr.refs();
    model.proposes(...EVERY_CHANGE);
    await ana.says('/countersign tidy up, and do not ask me');
    expect(bot.proposals()).toHaveLength(EVERY_CHANGE.length);
    await stage().later(3_600);
    await stage().restart();
    expect(pr.refs()).toEqual(refs);
    await ana.says('/approve all');
    expect(pr.file('a.txt')).toBe('1\n');
    expect(pr.file('f.txt')).toBe('6\n');
  });

  it.each(GATE_OFF)('under a file that says %j: it is broken, and no approval takes effect (S128)', async (text) => {
    const { ana, bot, configures, model, pr } = await stage().tell({ files: FILES, branch: { 'z.txt': 'z\n' } });
    await configures(text);
    const refs = pr.refs();
    model.proposes(edit('a.txt', 'one', '1'));
    await ana.says('/countersign tidy up');
    await ana.says('/approve all');
    expect(bot.answer()).toContain('line 1');
    expect(pr.refs()).toEqual(refs);
  });

  it('without the App installed: an approval that arrives late writes nothing, and GitHub answers nothing (S128)', async () => {
    const story = await stage().tell({ files: FILES, branch: { 'z.txt': 'z\n' } });
    const { ana, bot, model, pr } = story;
    model.proposes(...EVERY_CHANGE);
    await ana.says('/countersign tidy up');
    expect(bot.proposals()).toHaveLength(EVERY_CHANGE.length);
    const refs = pr.refs();
    const { deliveries } = stage().github;
    deliveries.intercept(() => 'drop');
    await ana.says('/approve all');
    deliveries.intercept(undefined);
    const approval = deliveries.log.findLast(({ event }) => event === 'issue_comment');
    stage().github.apply(OPERATIONS.uninstallApp, { installationId: installationOf(story) });
    await stage().settle();
    const asked = stage().github.requests.length;
    const target = `${stage().server().url}/api/github/webhooks`;
    if (approval === undefined) throw new Error('GitHub told nothing.');
    expect(await postWebhook(target, approval.request)).toBe(202);
    await stage().settle();
    expect(pr.refs()).toEqual(refs);
    const statuses = requestsSince(stage(), story, asked).map(({ status }) => status ?? 0);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });
});
