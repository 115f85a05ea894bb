import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { WAITING_LABEL } from '../../../src/core/state/pull-state.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY } from '../support/proposals.ts';
import { APPROVAL } from '../support/questions.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll({ showsWaiting: true });

/** A repository that has the label, whose pull request has these pending changes. */
async function proposeLabeled(...calls: readonly ScriptedCall[]): Promise<Story> {
  const story = await stage().tell({});
  createLabel(story);
  story.model.proposes(...calls);
  await story.ana.says('/countersign use bigint');
  return story;
}

function createLabel({ pr, ana }: Story): void {
  const { repositoryId } = pr;
  const actor = { accountId: ana.id, viaAppId: null };
  stage().github.apply(OPERATIONS.createLabel, { actor, repositoryId, name: WAITING_LABEL, color: 'b60205' });
}

describe('CK17, CK21: the label of a pull request with pending changes', () => {
  it('is there while a change waits, with the colour of the repository', async () => {
    const story = await proposeLabeled(BIGINT);
    expect(story.pr.now().labels).toEqual([WAITING_LABEL]);
    await story.ana.says('/approve');
    expect(story.pr.now().labels).toEqual([]);
    expect(story.pr.repository().labels.get(WAITING_LABEL)?.color).toBe('b60205');
  });

  it('is there while a question waits', async () => {
    const story = await proposeLabeled(APPROVAL);
    expect(story.pr.now().labels).toEqual([WAITING_LABEL]);
    await story.ana.says('/approve');
    expect(story.pr.now().labels).toEqual([]);
  });

  it('comes back with the next change of what waits after a person took it off', async () => {
    const story = await proposeLabeled(BIGINT, EXACTLY);
    const { ben, bot, pr } = story;
    await ben.does((person) => person.unlabels(WAITING_LABEL));
    expect(pr.now().labels).toEqual([]);
    await ben.says(`/deny ${bot.proposal(1).proposalId}`);
    expect(pr.now().labels).toEqual([WAITING_LABEL]);
  });

  it('stays where a person put it by hand and nothing ever waited', async () => {
    const story = await stage().tell({});
    createLabel(story);
    await story.ben.does((person) => person.labels(WAITING_LABEL));
    story.model.says({ content: 'Nothing to do.' });
    await story.ana.says('/countersign look at it');
    expect(story.pr.now().labels).toEqual([WAITING_LABEL]);
  });

  it('is not used where it does not exist and cannot be created, which the log says', async () => {
    const story = await stage().tell({});
    story.model.proposes(BIGINT);
    await story.ana.says('/countersign use bigint');
    expect(story.pr.now().labels).toEqual([]);
    expect(stage().logged.join('')).toContain('label does not exist and cannot be created');
    await story.ana.says('/approve');
    expect(story.pr.file('src/total.ts')).toContain('0n');
  });

  it('is not used with label: false', async () => {
    const story = await stage().tell({});
    createLabel(story);
    await story.configures('label: false\n');
    story.model.proposes(BIGINT);
    await story.ana.says('/countersign use bigint');
    expect(story.pr.now().labels).toEqual([]);
  });
});
