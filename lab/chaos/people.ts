import { readBlob, readGitCommit } from '../../fakes/github/git/objects.ts';
import { findTreeEntry } from '../../fakes/github/git/trees.ts';
import type { Random } from '../simulation/world/random.ts';
import {
  CHANGES_PER_TASK,
  MAX_TASKS,
  parseRowChange,
  ROWS_PATH,
  type TestPull,
  type TestSite,
  taskComment,
} from './site.ts';

/** What a person said about one proposal, once and for ever. */
export type PersonDecision = { readonly command: 'approve' | 'deny'; readonly proposal: ShownProposal };

/** Everything that people did on one pull request. */
export type PullActivity = { readonly pull: TestPull; tasks: number; readonly decisions: Map<string, PersonDecision> };

/** People who give tasks and decide. */
export type People = {
  readonly activities: readonly PullActivity[];
  /** Each looks at their pull request, and perhaps does something. `winding up`: no more tasks, and no more hesitation. */
  readonly act: (mood: 'at work' | 'winding up') => void;
};

const DECIDE_PROBABILITY = 0.3;

const TASK_PROBABILITY = 0.25;

/** Though the last one is not decided yet. */
const EXTRA_TASK_PROBABILITY = 0.02;

export function createPeople(site: TestSite, random: Random): People {
  const activities = site.pulls.map((pull): PullActivity => ({ pull, tasks: 0, decisions: new Map() }));
  return {
    activities,
    act(mood) {
      for (const one of activities) {
        const winding = mood === 'winding up';
        const open = listShownProposals(site, one.pull).filter(({ id }) => !one.decisions.has(id));
        if (open.length > 0 && (winding || random.chance(DECIDE_PROBABILITY))) decide(one, open, random);
        const rested = one.decisions.size === one.tasks * CHANGES_PER_TASK;
        if (!winding && one.tasks < MAX_TASKS && random.chance(rested ? TASK_PROBABILITY : EXTRA_TASK_PROBABILITY))
          giveTask(one);
      }
    },
  };
}

function giveTask(activities: PullActivity): void {
  activities.pull.act((person) => person.says(taskComment(activities.tasks)));
  activities.tasks += 1;
}

/** All of them by their ids in one comment, or the first where it stands. */
function decide({ pull, decisions }: PullActivity, open: readonly ShownProposal[], random: Random): void {
  const command = random.chance(0.7) ? 'approve' : 'deny';
  const [first] = open;
  const threadId = first?.threadId ?? null;
  if (first !== undefined && threadId !== null && random.chance(0.6)) {
    pull.act((person) => person.replies(threadId, `/${command}`));
    decisions.set(first.id, { command, proposal: first });
    return;
  }
  pull.act((person) => person.says(`/${command} ${open.map(({ id }) => id).join(' ')}`));
  for (const proposal of open) decisions.set(proposal.id, { command, proposal });
}

/** A proposal as it stands on the page now; `threadId` is its comment where it has a thread. */
type ShownProposal = {
  readonly id: string;
  readonly threadId: number | null;
  readonly body: string;
  readonly row: number;
  readonly task: number;
};

const PROPOSAL_COMMENT = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

/** The proposals of a pull request, once for each comment that shows them. */
export function listShownProposals({ github }: TestSite, pull: TestPull): readonly ShownProposal[] {
  const { comments, reviewComments } = pull.current();
  const said = [
    ...[...comments.values()].map((comment) => ({ comment, threadId: null })),
    ...[...reviewComments.values()].map((comment) => ({ comment, threadId: comment.id })),
  ];
  return said.flatMap(({ comment: { authorId, body }, threadId }) => {
    const id = PROPOSAL_COMMENT.exec(body)?.[1];
    const shown = parseRowChange(body);
    return authorId === github.app.botId && id !== undefined && shown !== null
      ? [{ id, threadId, body, ...shown }]
      : [];
  });
}

/** How often each proposal is named by a commit of the branch. */
export function countCommitsByProposal(site: TestSite, pull: TestPull): ReadonlyMap<string, number> {
  return new Map([...listCommitsByProposal(site, pull)].map(([id, shas]) => [id, shas.length]));
}

/** The commits of the branch that name each proposal, as often as they do. */
export function listCommitsByProposal({ github }: TestSite, pull: TestPull): ReadonlyMap<string, readonly string[]> {
  const { store } = github.state();
  const named = new Map<string, readonly string[]>();
  for (let sha: string | undefined = pull.current().head.sha; sha !== undefined; ) {
    const commit = readGitCommit(store, sha);
    for (const [, id = ''] of commit?.message.matchAll(/^Countersign-Proposal: (\S+)$/gm) ?? [])
      named.set(id, [...(named.get(id) ?? []), sha]);
    sha = commit?.parents[0];
  }
  return named;
}

/** The file of rows at the head. */
export function readRowsFile({ github }: TestSite, pull: TestPull): string {
  const { store } = github.state();
  const tree = readGitCommit(store, pull.current().head.sha)?.tree ?? '';
  const entry = findTreeEntry(store, tree, ROWS_PATH);
  return Buffer.from((entry === undefined ? undefined : readBlob(store, entry.sha)) ?? []).toString('utf8');
}
