import { readAlone } from '../comments/command-line.ts';
import { settingsShown } from '../messages/settings-replies.ts';
import { type CommandDefinition, endWithInfo } from './shared/context.ts';

export const config = {
  name: 'config',
  words: ['config'],
  syntax: '/config',
  summary: 'show the settings in force',
  allowedTo: 'writer-or-author',
  read: readAlone({ name: 'config' }),
  needs: {
    condition: 'that person can use it',
    kinds: ['settings-in-force'],
    next: ({ facts }) => (facts.settingsInForce === undefined ? [{ kind: 'settings-in-force' }] : []),
  },
  run: (context) => {
    const { settingsInForce = { text: '', problems: [] } } = context.facts;
    return endWithInfo(context, settingsShown(settingsInForce));
  },
} as const satisfies CommandDefinition<'config'>;
