import { activeRun, type Pull } from '../run/run.ts';
import type { ToolResult } from '../run/signal.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import { serveCall } from './serve-call.ts';
import type { Workspace } from './workspace.ts';

/** Serves the calls of one model response against the pull request's head as it is now, in their order. */
export async function useTools(job: Job<'use-tools'>): Promise<Outcome> {
  const { context, stored, effect } = job;
  const pull = await context.store.load(stored.pullKey, { ids: [], commentId: null });
  const run = activeRun(pull);
  if (run === null || run.id !== effect.runId || run.batch?.turn !== effect.turn) return DONE;
  const workspace = await openWorkspace(job, pull, run.read);
  const results: ToolResult[] = [];
  for (const call of effect.calls) results.push(await serveCall(workspace, call, results));
  return {
    kind: 'done',
    signal: { type: 'tools-used', runId: run.id, turn: effect.turn, head: workspace.head, results },
  };
}

async function openWorkspace(job: Job<'use-tools'>, pull: Pull, read: Workspace['read']): Promise<Workspace> {
  const github = job.context.githubs.for(pull.ref);
  const { headSha } = await github.pull();
  return { github, repo: pull.ref.repo, head: headSha, tree: await github.tree(headSha), read };
}
