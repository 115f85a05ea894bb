import type { CommandGrammar } from '../comments/command-line.ts';
import type { CommandName } from '../state/intent.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { ask } from './ask.ts';
import { config } from './config.ts';
import { continueCommand } from './continue.ts';
import { deny } from './deny.ts';
import { edit } from './edit.ts';
import { createHelp } from './help.ts';
import { resume } from './resume.ts';
import type { CommandDefinition } from './shared/context.ts';
import { show } from './show.ts';
import { approvals, revoke } from './standing-approvals.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { task } from './task.ts';
import { undo } from './undo.ts';

/** Every command, in the order in which people should read about them. */
export const COMMANDS: { readonly [Name in CommandName]: CommandDefinition<Name> } = {
  task,
  approve,
  deny,
  edit,
  answer,
  ask,
  show,
  undo,
  continue: continueCommand,
  stop,
  resume,
  status,
  approvals,
  revoke,
  config,
  help: createHelp(() => COMMAND_LIST),
};

export const COMMAND_LIST = Object.values(COMMANDS);

export const COMMAND_GRAMMAR: CommandGrammar = COMMAND_LIST;
