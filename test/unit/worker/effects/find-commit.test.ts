import { expect, it } from 'vitest';
import type { CommittedChange } from '../../../../src/core/state/proposal.ts';
import { GitHubError } from '../../../../src/core/step/ports.ts';
import type { WorkerContext } from '../../../../src/worker/jobs/job.ts';
import { openVirtualApp } from '../virtual-app.ts';

/** Faults of GitHub that happen once; `beforeCommit` runs while a commit is on its way. */
type Trouble = {
  readsFail: boolean;
  refused: boolean;
  neverSent: boolean;
  answerLost: boolean;
  headMoved: boolean;
  notReadBack: boolean;
  beforeCommit: () => void;
};

function noTrouble(): Trouble {
  return {
    readsFail: false,
    refused: false,
    neverSent: false,
    answerLost: false,
    headMoved: false,
    notReadBack: false,
    beforeCommit: () => {},
  };
}

const PROPOSAL = { id: 'call-1', name: 'edit_file', arguments: '{"path":"a.txt","old_string":"1","new_string":"2"}' };

const SECOND = { id: 'call-2', name: 'write_file', arguments: '{"path":"b.txt","content":"b\\n"}' };

const USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** An App whose model proposes these changes, and everything in its ledger. */
function proposes(trouble: Trouble, ledger: CommittedChange[], toolCalls = [PROPOSAL]) {
  return ({ store, githubApp, model, ...context }: WorkerContext): WorkerContext => ({
    ...context,
    store: {
      ...store,
      save: (claim, signal, step, now) => {
        // As in the store, a commit that is reported again is not added again.
        const isNew = ({ proposalId, commitSha }: CommittedChange) =>
          !ledger.some((one) => one.proposalId === proposalId && one.commitSha === commitSha);
        ledger.push(...step.ledgerCommits.filter(isNew));
        return store.save(claim, signal, step, now);
      },
    },
    model: {
      ...model,
      ask: async (messages, ...rest) =>
        messages.some(({ role }) => role === 'assistant')
          ? model.ask(messages, ...rest)
          : { content: null, toolCalls, finishReason: 'tool_calls', usage: USAGE },
    },
    githubApp: {
      ...githubApp,
      forPull: (ref) => {
        const github = githubApp.forPull(ref);
        const comes = (what: Exclude<keyof Trouble, 'beforeCommit'>): boolean => {
          const now = trouble[what];
          trouble[what] = false;
          return now;
        };
        const fails = (what: 'readsFail' | 'neverSent' | 'answerLost' | 'notReadBack'): void => {
          if (comes(what)) throw new GitHubError('GitHub went away', 502, null);
        };
        let committed = false;
        return {
          ...github,
          fetchPull: async () => {
            fails('readsFail');
            if (comes('refused')) throw new GitHubError('Not Found', 404, null);
            return github.fetchPull();
          },
          fetchTree: async (commit) => {
            if (committed) fails('notReadBack');
            return github.fetchTree(commit);
          },
          commit: async (plan) => {
            if (comes('headMoved')) return { kind: 'head-moved' };
            fails('neverSent');
            trouble.beforeCommit();
            const outcome = await github.commit(plan);
            committed = true;
            fails('answerLost');
            return outcome;
          },
        };
      },
    },
  });
}

/** Changes that are pending for ana and ben, the thread of the edit, and the ledger. */
async function waiting(trouble: Trouble, calls = [PROPOSAL]) {
  const ledger: CommittedChange[] = [];
  const app = openVirtualApp({ wrapContext: proposes(trouble, ledger, calls) });
  const pull = app.installedFor('acme').opens();
  const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
  const { repositoryId, number } = pull.ref;
  const repository = () => app.gateway.serverState().github.repositories.get(repositoryId);
  const here = () => repository()?.pulls.get(number);
  const tip = () => repository()?.refs.get(`refs/heads/${here()?.head.branch}`);
  const aMinute = () => app.runUntilIdle(app.now() + 60_000);
  ana.says('@countersign do it');
  await aMinute();
  const threads = [...(here()?.reviewComments.values() ?? [])];
  const thread = threads.find(({ body }) => body.includes('```suggestion'))?.id ?? 0;
  const shown = () => here()?.reviewComments.get(thread)?.body;
  const commits = () => ledger.map(({ commitSha, parentSha }) => [commitSha, parentSha]);
  return { app, pull, ana, ben, thread, commits, tip, shown, aMinute };
}

it('a commit with a lost response is found by another attempt for the same change and added to the ledger (G3, S78)', async () => {
  const trouble = noTrouble();
  const { app, ana, ben, thread, commits, tip, aMinute } = await waiting(trouble);

  trouble.readsFail = true;
  ana.replies(thread, '/approve');
  await app.settle();
  expect(trouble.readsFail).toBe(false);

  // Ben's comment also wants a commit and is read when the first one is due again. That one loses its response, then
  // ben's starts.
  app.pass(60_000);
  trouble.answerLost = true;
  ben.replies(thread, '```suggestion\n3\n```');
  const before = tip();
  await app.settle();
  const after = tip();
  await aMinute();

  expect(trouble.answerLost).toBe(false);
  expect(after).not.toBe(before);
  expect(tip()).toBe(after);
  expect(commits()).toEqual([[after, before]]);
});

it('it is not reported as failed if GitHub refuses the other attempt at first (G3, S78)', async () => {
  const trouble = noTrouble();
  const { app, pull, ana, ben, thread, commits, tip, shown, aMinute } = await waiting(trouble);

  trouble.readsFail = true;
  ana.replies(thread, '/approve');
  await app.settle();
  app.pass(60_000);
  trouble.answerLost = true;
  trouble.beforeCommit = () => Object.assign(trouble, { refused: true });
  ben.replies(thread, '```suggestion\n3\n```');
  await aMinute();

  expect(trouble).toMatchObject({ answerLost: false, refused: false });
  expect(commits().map(([commit]) => commit)).toEqual([tip()]);
  expect(shown()).toContain('**Completed:** applied');
  expect(pull.appComments().join()).not.toContain('Not applied');
});

it('after a found commit with fewer changes the others are committed (G3, S78, V5)', async () => {
  const trouble = noTrouble();
  const { app, ana, ben, thread, commits, tip, aMinute } = await waiting(trouble, [PROPOSAL, SECOND]);

  trouble.readsFail = true;
  ana.says('/approve all');
  await app.settle();
  app.pass(60_000);
  // Ben's own lines are committed alone. The attempt for all changes starts before that commit is known.
  const beforeCommit = () => Object.assign(trouble, { readsFail: true, beforeCommit: () => {} });
  Object.assign(trouble, { neverSent: true, answerLost: true, beforeCommit });
  ben.replies(thread, '```suggestion\n3\n```');
  const before = tip();
  await app.settle();
  const first = tip();
  await aMinute();

  expect(trouble).toMatchObject({ readsFail: false, neverSent: false, answerLost: false });
  expect(commits()).toEqual([
    [first, before],
    [tip(), first],
  ]);
});

it('a commit that reaches the branch after the pull request was closed is found and not reported as failed (S78)', async () => {
  const trouble = noTrouble();
  const { ana, thread, commits, tip, shown, aMinute } = await waiting(trouble);
  const before = tip();
  trouble.beforeCommit = () => void ana.closes();
  trouble.answerLost = true;
  ana.replies(thread, '/approve');
  await aMinute();
  expect(tip()).not.toBe(before);
  expect(shown()).toContain('**Completed:** applied');
  expect(commits()).toEqual([[tip(), before]]);
});

it('a commit that GitHub does not serve yet is not treated as absent, although the branch moved before (S78)', async () => {
  const trouble = noTrouble();
  const { ana, thread, commits, tip, shown, aMinute } = await waiting(trouble);
  const before = tip();
  trouble.headMoved = true;
  trouble.notReadBack = true;
  ana.replies(thread, '/approve');
  await aMinute();
  expect(trouble).toMatchObject({ headMoved: false, notReadBack: false });
  expect(shown()).toContain('**Completed:** applied');
  expect(commits()).toEqual([[tip(), before]]);
});
