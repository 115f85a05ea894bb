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

/** A person's only decision on a proposal. */
export type PersonDecision = { readonly command: 'approve' | 'deny'; readonly proposal: ShownProposal };

/** The tasks and decisions of people on one pull request. `decisions` is by proposal id. */
export type PullActivity = { readonly pull: TestPull; tasks: number; readonly decisions: Map<string, PersonDecision> };

/** People who give tasks and decide. */
export type People = {
  readonly activities: readonly PullActivity[];
  /** Lets each person act at random. While `finishing` they give no tasks and decide at once. */
  readonly act: (phase: 'working' | 'finishing') => void;
};

const DECIDE_PROBABILITY = 0.3;

const TASK_PROBABILITY = 0.25;

/** While proposals of an earlier task are open. */
const EXTRA_TASK_PROBABILITY = 0.02;

/** Tasks without proposals. Fewer than one person may have in the queue, because the App refuses further ones. */
const MAX_WAITING_TASKS = 5;

export function createPeople(site: TestSite, random: Random): People {
  const activities = site.pulls.map((pull): PullActivity => ({ pull, tasks: 0, decisions: new Map() }));
  return {
    activities,
    act(phase) {
      const isFinishing = phase === 'finishing';
      for (const activity of activities) {
        const { pull, decisions, tasks } = activity;
        const shown = listShownProposals(site, pull);
        const open = shown.filter(({ id }) => !decisions.has(id));
        if (open.length > 0 && (isFinishing || random.chance(DECIDE_PROBABILITY))) decide(activity, open, random);
        const taskProbability = decisions.size === tasks * CHANGES_PER_TASK ? TASK_PROBABILITY : EXTRA_TASK_PROBABILITY;
        const canGiveTask = tasks < MAX_TASKS && tasks - shown.length / CHANGES_PER_TASK < MAX_WAITING_TASKS;
        if (!isFinishing && canGiveTask && random.chance(taskProbability)) giveTask(activity);
      }
    },
  };
}

function giveTask(activity: PullActivity): void {
  activity.pull.act((person) => person.says(taskComment(activity.tasks)));
  activity.tasks += 1;
}

/** Decides on all open proposals by id in one comment, or on the first one in its thread. */
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

/** A proposal's comment as it is now. `threadId` is the id of a review comment; null for an issue comment. */
type ShownProposal = {
  readonly id: string;
  readonly threadId: number | null;
  readonly body: string;
  readonly row: number;
  readonly task: number;
};

const PROPOSAL_COMMENT = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

/** The proposals of a pull request, one entry for each comment that shows one. */
export function listShownProposals({ github }: TestSite, pull: TestPull): readonly ShownProposal[] {
  const { comments, reviewComments } = pull.current();
  const posted = [
    ...[...comments.values()].map((comment) => ({ comment, threadId: null })),
    ...[...reviewComments.values()].map((comment) => ({ comment, threadId: comment.id })),
  ];
  return posted.flatMap(({ comment: { authorId, body }, threadId }) => {
    const id = PROPOSAL_COMMENT.exec(body)?.[1];
    const rowChange = parseRowChange(body);
    return authorId === github.app.botId && id !== undefined && rowChange !== null
      ? [{ id, threadId, body, ...rowChange }]
      : [];
  });
}

/** Number of commits of the branch that name each proposal. */
export function countCommitsByProposal(site: TestSite, pull: TestPull): ReadonlyMap<string, number> {
  return new Map([...listCommitsByProposal(site, pull)].map(([id, shas]) => [id, shas.length]));
}

/** The commits of the branch that name each proposal. A commit that names one twice is listed twice. */
export function listCommitsByProposal({ github }: TestSite, pull: TestPull): ReadonlyMap<string, readonly string[]> {
  const { store } = github.state();
  const commits = new Map<string, readonly string[]>();
  for (let sha: string | undefined = pull.current().head.sha; sha !== undefined; ) {
    const commit = readGitCommit(store, sha);
    for (const [, id = ''] of commit?.message.matchAll(/^Countersign-Proposal: (\S+)$/gm) ?? [])
      commits.set(id, [...(commits.get(id) ?? []), sha]);
    sha = commit?.parents[0];
  }
  return commits;
}

/** The text of the rows file at the head. */
export function readRowsFile({ github }: TestSite, pull: TestPull): string {
  const { store } = github.state();
  const tree = readGitCommit(store, pull.current().head.sha)?.tree ?? '';
  const entry = findTreeEntry(store, tree, ROWS_PATH);
  return Buffer.from((entry === undefined ? undefined : readBlob(store, entry.sha)) ?? []).toString('utf8');
}
