import { readAlone } from '../comments/command-line.ts';
import { endWithInfo } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';

export const help = {
  name: 'help',
  words: ['help'],
  syntax: '/help',
  summary: 'list the commands',
  allowedTo: 'writer-or-author',
  read: readAlone({ name: 'help' }),
  run: (context) => endWithInfo(context, { kind: 'help' }),
} as const satisfies CommandDefinition<'help'>;
