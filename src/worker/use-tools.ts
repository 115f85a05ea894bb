import { setImmediate as breath } from 'node:timers/promises';
import type { ToolCall } from '../prompt/message.ts';
import { activeRun, type Pull } from '../run/run.ts';
import type { ToolResult } from '../run/signal.ts';
import { BEYOND_MOST_CALLS, BEYOND_MOST_LETTERS, MOST_CALLS, MOST_CHANGED_LETTERS } from '../tools/most-calls.ts';
import { DONE, type Job, type Outcome, pullOf } from './job.ts';
import { output } from './output.ts';
import { serveCall } from './serve-call.ts';
import type { Workspace } from './workspace.ts';

/** Serves the calls of one model response against the pull request's head as it is now, in their order. */
export async function useTools(job: Job<'use-tools'>): Promise<Outcome> {
  const { effect } = job;
  const pull = await pullOf(job);
  const run = activeRun(pull);
  if (run === null || run.id !== effect.runId || run.batch?.turn !== effect.turn) return DONE;
  const workspace = await openWorkspace(job, pull, run.read);
  const results = await serveAll(workspace, effect.calls.slice(0, MOST_CALLS));
  for (const call of effect.calls.slice(MOST_CALLS)) results.push(output(call, BEYOND_MOST_CALLS));
  return {
    kind: 'done',
    signal: { type: 'tools-used', runId: run.id, turn: effect.turn, head: workspace.head, results },
  };
}

/** Changes up to what is stored at once, but one of any size. */
async function serveAll(workspace: Workspace, calls: readonly ToolCall[]): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  let letters = 0;
  for (const call of calls) {
    // Each may take some milliseconds; what waits for the process comes in between.
    await breath();
    const result = await serveCall(workspace, call, results);
    const own = lettersOf(result);
    const isTooMuch = own > 0 && letters > 0 && letters + own > MOST_CHANGED_LETTERS;
    results.push(isTooMuch ? output(call, BEYOND_MOST_LETTERS) : result);
    if (!isTooMuch) letters += own;
  }
  return results;
}

function lettersOf(result: ToolResult): number {
  if (result.kind !== 'change' || result.change.region === null) return 0;
  const { region } = result.change;
  return [...region.old, ...region.new].reduce((sum, line) => sum + line.length, 0);
}

async function openWorkspace(job: Job<'use-tools'>, pull: Pull, read: Workspace['read']): Promise<Workspace> {
  const { githubs, workOut } = job.context;
  const github = githubs.for(pull.ref);
  const { headSha } = await github.pull();
  const tree = await github.tree(headSha);
  const archive = once(() => github.archive(headSha));
  return { github, repo: pull.ref.repo, head: headSha, tree, read, archive, workOut };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
