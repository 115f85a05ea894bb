import { expect, it } from 'vitest';
import type { Write } from '../../src/run/proposal.ts';
import type { Context } from '../../src/worker/context.ts';
import { GitHubFault } from '../../src/worker/ports.ts';
import { openVirtualApp } from './virtual-app.ts';

/** What goes wrong once with GitHub, as soon as it is said here; `beforeCommit` is done while a commit is on its way. */
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
const USAGE = { input: 0, cachedInput: 0, output: 0 };

/** An App whose model proposes these changes, with everything that stands in its ledger. */
function proposes(trouble: Trouble, ledger: Write[], calls = [PROPOSAL]) {
  return ({ store, githubs, model, ...context }: Context): Context => ({
    ...context,
    store: {
      ...store,
      save: (claim, signal, step, now) => {
        // Like the store: what is told again, once it can be read back, stands already.
        const isNew = ({ proposalId, commit }: Write) =>
          !ledger.some((one) => one.proposalId === proposalId && one.commit === commit);
        ledger.push(...step.writes.filter(isNew));
        return store.save(claim, signal, step, now);
      },
    },
    model: {
      ...model,
      ask: async (messages, ...rest) =>
        messages.some(({ role }) => role === 'assistant')
          ? model.ask(messages, ...rest)
          : { content: null, calls, finishReason: 'tool_calls', usage: USAGE },
    },
    githubs: {
      ...githubs,
      for: (ref) => {
        const github = githubs.for(ref);
        const comes = (what: Exclude<keyof Trouble, 'beforeCommit'>): boolean => {
          const now = trouble[what];
          trouble[what] = false;
          return now;
        };
        const fails = (what: 'readsFail' | 'neverSent' | 'answerLost' | 'notReadBack'): void => {
          if (comes(what)) throw new GitHubFault('GitHub went away', 502, null);
        };
        let committed = false;
        return {
          ...github,
          pull: async () => {
            fails('readsFail');
            if (comes('refused')) throw new GitHubFault('Not Found', 404, null);
            return github.pull();
          },
          tree: async (commit) => {
            if (committed) fails('notReadBack');
            return github.tree(commit);
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

/** Changes that wait for ana and ben, the thread of the edit, and what the ledger is given. */
async function waiting(trouble: Trouble, calls = [PROPOSAL]) {
  const ledger: Write[] = [];
  const app = openVirtualApp({ bend: proposes(trouble, ledger, calls) });
  const pull = app.installedFor('acme').opens();
  const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
  const { repositoryId, number } = pull.ref;
  const repository = () => app.gateway.state().world.repositories.get(repositoryId);
  const here = () => repository()?.pulls.get(number);
  const tip = () => repository()?.refs.get(`refs/heads/${here()?.head.branch}`);
  const aMinute = () => app.playOn(app.now() + 60_000);
  ana.says('@countersign do it');
  await aMinute();
  const threads = [...(here()?.reviewComments.values() ?? [])];
  const thread = threads.find(({ body }) => body.includes('```suggestion'))?.id ?? 0;
  const shown = () => here()?.reviewComments.get(thread)?.body;
  const commits = () => ledger.map(({ commit, parent }) => [commit, parent]);
  return { app, pull, ana, ben, thread, commits, tip, shown, aMinute };
}

it('G3, S78: a commit whose answer is lost is found by another attempt for the same change, and stands in the ledger', async () => {
  const trouble = noTrouble();
  const { app, ana, ben, thread, commits, tip, aMinute } = await waiting(trouble);

  trouble.readsFail = true;
  ana.replies(thread, '/approve');
  await app.settle();
  expect(trouble.readsFail).toBe(false);

  // Ben's words want a commit too, and are heard when the first one is due again: its answer is lost, then comes Ben's.
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

it('G3, S78, V7: that is not called failed where GitHub refuses the first try of the other attempt', async () => {
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
  expect(shown()).toContain('**Applied**');
  expect(pull.said().join()).not.toContain('Not applied');
});

it('G3, S78, V7: also one that made more changes than the other attempt is for: all of them stand in the ledger', async () => {
  const trouble = noTrouble();
  const { app, ana, ben, thread, commits, tip, aMinute } = await waiting(trouble, [PROPOSAL, SECOND]);

  trouble.readsFail = true;
  ana.says('/approve all');
  await app.settle();
  app.pass(60_000);
  trouble.answerLost = true;
  ben.replies(thread, '```suggestion\n3\n```');
  const before = tip();
  await app.settle();
  const after = tip();
  await aMinute();

  expect(trouble).toMatchObject({ readsFail: false, answerLost: false });
  expect(after).not.toBe(before);
  expect(commits()).toEqual([
    [after, before],
    [after, before],
  ]);
});

it('G3, S78, V5: also one that made fewer: the others are made after it', async () => {
  const trouble = noTrouble();
  const { app, ana, ben, thread, commits, tip, aMinute } = await waiting(trouble, [PROPOSAL, SECOND]);

  trouble.readsFail = true;
  ana.says('/approve all');
  await app.settle();
  app.pass(60_000);
  // Ben's own lines are committed alone, and the attempt for all comes before that one has found out.
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

it('S78: a commit that lands on the branch after the pull request was closed is found there, and not called failed', async () => {
  const trouble = noTrouble();
  const { ana, thread, commits, tip, shown, aMinute } = await waiting(trouble);
  const before = tip();
  trouble.beforeCommit = () => void ana.closes();
  trouble.answerLost = true;
  ana.replies(thread, '/approve');
  await aMinute();
  expect(tip()).not.toBe(before);
  expect(shown()).toContain('**Applied**');
  expect(commits()).toEqual([[tip(), before]]);
});

it('S78: a commit that cannot be read back at once is not called missed, though the branch moved before', async () => {
  const trouble = noTrouble();
  const { ana, thread, commits, tip, shown, aMinute } = await waiting(trouble);
  const before = tip();
  trouble.headMoved = true;
  trouble.notReadBack = true;
  ana.replies(thread, '/approve');
  await aMinute();
  expect(trouble).toMatchObject({ headMoved: false, notReadBack: false });
  expect(shown()).toContain('**Applied**');
  expect(commits()).toEqual([[tip(), before]]);
});
