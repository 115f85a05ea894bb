import {
  formatCheck,
  formatCheckList,
  NO_CHECKS_OUTPUT,
  unknownCheckOutput,
} from '../../../core/agent/shared/check-texts.ts';
import type { ToolRequestOf } from '../../../core/state/tools.ts';
import { type ToolCallContext, type ToolOutput, toolOutput } from './workspace.ts';

/** Lists the checks of the head, or shows one of them: the newest of that name, one that failed first. */
export async function readChecks(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { name }: ToolRequestOf<'read_checks'>,
): Promise<ToolOutput> {
  const { github } = workspace;
  const found = await workspace.checks();
  if (found === null) return toolOutput(call, NO_CHECKS_OUTPUT);
  const { head, headSha } = found;
  if (name === null) return toolOutput(call, formatCheckList(head, headSha, workspace.checkHistory));
  const named = head.listed.filter((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  const check = named.find(({ state }) => state === 'failed') ?? named.at(-1);
  if (check === undefined) return toolOutput(call, unknownCheckOutput(name, head));
  return toolOutput(call, formatCheck(check, await github.fetchCheckDetails(check)));
}
