import {
  renderSettingsChange,
  SETTINGS_MISNAMED_TEXT,
  SETTINGS_UNCHANGED_TEXT,
} from '../../core/messages/settings-replies.ts';
import { SETTINGS_MARKER } from '../../core/messages/shared/markdown.ts';
import { compareSettings, hasSameContent } from '../../core/settings/settings-change.ts';
import type { SettingsComment } from '../../core/state/pull-state.ts';
import type { GitHub, SettingsVersions } from '../../core/step/ports.ts';
import { DONE, type EffectResult, type Job, loadJobPull, type WorkerContext } from '../jobs/job.ts';
import { updateExistingComment } from './comments.ts';

/**
 * Shows what the pull request's own settings file would change, in one comment. Sends one request if the file is that
 * of the default branch. Nothing is decided by that file, and nothing of it is stored.
 */
export async function updateSettingsComment(job: Job<'update-settings-comment'>): Promise<EffectResult> {
  const { context } = job;
  const { ref, settingsComment } = await loadJobPull(job);
  const github = context.githubApp.forPull(ref);
  const versions = await github.fetchSettingsVersions();
  if (versions === null || !versions.isOpen) return DONE;
  const change = (await describeSettingsChange(context, github, versions)) ?? misnamedText(versions);
  if (change === null && settingsComment?.showsChange !== true) return DONE;
  const written = await writeComment(github, settingsComment, change ?? SETTINGS_UNCHANGED_TEXT);
  if (written === null) return DONE;
  context.log.info({ showsChange: change !== null }, 'settings change shown');
  const signal = {
    type: 'settings-comment-updated',
    settingsComment: { comment: written, showsChange: change !== null },
  } as const;
  return { kind: 'done', signal };
}

/**
 * Null unless the pull request itself changes the file, and merging it would change the default branch. A branch that
 * is merely behind has another file too.
 */
async function describeSettingsChange(
  { operatorSettings }: WorkerContext,
  github: GitHub,
  { isSameFile, isLink, baseRef, headSha, defaultBranch, defaultSha }: SettingsVersions,
): Promise<string | null> {
  if (isSameFile || baseRef !== defaultBranch) return null;
  const head = isLink ? ({ kind: 'link' } as const) : await github.fetchSettingsFileAt(headSha);
  const base = await github.fetchSettingsFileAt(await github.fetchMergeBase(defaultSha, headSha));
  if (hasSameContent(head, base)) return null;
  const current = await github.fetchSettingsFile();
  return renderSettingsChange(compareSettings({ current, base, head }, operatorSettings()), defaultBranch);
}

/** People who give the file a wrong name believe that their rules hold. */
function misnamedText({ isMisnamed, baseRef, defaultBranch }: SettingsVersions): string | null {
  return isMisnamed && baseRef === defaultBranch ? SETTINGS_MISNAMED_TEXT : null;
}

/** Null if the comment was deleted: then it stays so. A comment of an attempt that failed is found by its marker. */
async function writeComment(
  github: GitHub,
  known: SettingsComment | null,
  body: string,
): Promise<SettingsComment['comment'] | null> {
  const comment = known?.comment ?? (await github.findCommentsByMarker([SETTINGS_MARKER], null)).get(SETTINGS_MARKER);
  if (comment === undefined) return github.createComment(body);
  const updated = await updateExistingComment(github, comment, body);
  return updated === null ? null : { ...comment, bodyHash: updated.bodyHash };
}
