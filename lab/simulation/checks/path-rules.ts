import { isReading } from '../../../src/core/edits/change.ts';
import { SETTINGS_PATH } from '../../../src/core/settings/repo-settings.ts';
import type { Settings } from '../../../src/core/state/settings.ts';
import { DENY_DOCS, GUARDED_PATH } from '../world/owner-actions.ts';
import { findAttemptStart, textsInForce } from './approvals.ts';
import type { CaseCheck } from './evidence.ts';

/** V3: no commit touches a path that a rule denied during the whole attempt. */
export const deniedPathsStayUnchanged: CaseCheck = (evidence) =>
  evidence.commits.flatMap((observed) => {
    const texts = textsInForce(
      evidence.played,
      SETTINGS_PATH,
      findAttemptStart(evidence, { ...observed, ids: observed.plan.proposalIds }).at,
      observed.at,
    );
    if (!texts.every((text) => text === DENY_DOCS)) return [];
    const denied = observed.plan.files.filter(({ path }) => path.startsWith('docs/'));
    return denied.map(({ path }) => `V3: commit ${observed.sha} changes ${path}, which a rule denies`);
  });

/** S24: no result of a tool shows lines of a file that people must approve, and did not. */
export const gatedFilesStayUnread: CaseCheck = ({ saved }) => {
  const settings = new Map<string, Settings>();
  const readable = new Set<string>();
  return saved.flatMap(({ saved: { signal, step } }) => {
    const { run, proposals } = step.pull;
    if (run !== null && !settings.has(run.id)) settings.set(run.id, run.settings);
    const shown = signal.type === 'tools-finished' ? signal.results : [];
    const runId = signal.type === 'tools-finished' ? signal.runId : '';
    const isGated = settings.get(runId)?.rules.some(({ decide }) => decide === 'ask') === true;
    const leaked = shown.filter(
      (result) => isGated && !readable.has(runId) && result.kind === 'output' && showsGatedLines(result.output),
    );
    const approved = proposals.filter(({ change, state }) => isReading(change) && state === 'completed');
    for (const one of approved) readable.add(one.runId);
    return leaked.map(({ callId }) => `S24: ${callId} shows lines of ${GUARDED_PATH} that nobody approved`);
  });
};

/** Rows of a search, or the diff of the file; its own lines tell where they are from. */
function showsGatedLines(output: string): boolean {
  const escaped = GUARDED_PATH.replace('.', '\\.');
  const isRow = new RegExp(`^${escaped}[:-]\\d+[:-]`, 'm').test(output);
  const [heading = ''] = output.split('\n', 1);
  const isRead = heading.includes(GUARDED_PATH) && output.includes(`\n${GUARDED_PATH} line `);
  return isRow || isRead;
}
