import { readAlone } from '../comments/command-line.ts';
import { type CommandHelp, helpShown } from '../messages/replies.ts';
import { type CommandDefinition, endWithInfo } from './shared/context.ts';

/** `commands` lists all of them, this one too. */
export const createHelp = (commands: () => readonly CommandHelp[]) =>
  ({
    name: 'help',
    words: ['help'],
    syntax: '/help',
    summary: 'list the commands',
    allowedTo: 'writer-or-author',
    read: readAlone({ name: 'help' }),
    run: (context) => endWithInfo(context, helpShown(commands())),
  }) as const satisfies CommandDefinition<'help'>;
