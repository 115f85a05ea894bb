import type { Message, ModelReply, ToolCall } from '../prompt/message.ts';
import { blobText } from '../simulator/git/blob.ts';
import { type Model, ModelFault } from '../worker/ports.ts';
import type { Chance } from './chance.ts';
import { standingOf } from './github/port.ts';
import { treeAt } from './github/reading.ts';
import type { Hub } from './hub.ts';
import { PATHS, type Scene } from './scene.ts';

/** Words that would do something on GitHub's pages if they got there as they are. */
export const HOSTILE =
  '@evil-team <img src="https://evil.example/x.png"> ![x](https://evil.example/y.png) [here](https://evil.example) closes #1';

/** Responses after which every run is brought to its end. */
const MOST_REPLIES = 14;
const USAGE = { input: 10, cachedInput: 0, output: 5 };

/** A model that reads, proposes, errs and gives up by chance. What it changes it changes in files as they are now. */
export function randomModel(hub: Hub, scene: Scene, chance: Chance): Model {
  let replies = 0;
  let calls = 0;
  const textOf = (path: string): string => {
    const { world, pull } = standingOf(hub, scene);
    return blobText(world.store, treeAt(world.store, pull.head.sha).get(path)?.sha);
  };
  const call = (name: string, given: object): ToolCall => {
    calls += 1;
    return { id: `call-${calls}`, name, arguments: JSON.stringify(given) };
  };
  const anyCall = (): ToolCall => {
    const path = chance.pick(PATHS);
    const lines = textOf(path).split('\n');
    const line = lines[chance.whole(Math.max(1, lines.length - 1))] ?? '';
    const reason = chance.happens(0.4) ? HOSTILE : 'It is simpler.';
    const roll = chance.part();
    if (roll < 0.12) return call('read_file', { path });
    if (roll < 0.2)
      return call('write_file', { path: `src/new-${chance.whole(3)}.ts`, content: `new ${calls}\n`, reason });
    if (roll < 0.26)
      return call('write_file', { path, content: `${lines.slice(0, 6).join('\n')}\nwritten ${calls}\n` });
    if (roll < 0.29) return call('edit_file', { path, old_string: 'nowhere to be found', new_string: 'x' });
    if (roll < 0.31) return call('edit_file', { path: 'src/gone.ts', old_string: 'a', new_string: 'x' });
    if (roll < 0.34) return call('list_files', {});
    if (roll < 0.36) return call('delete_file', { path, reason });
    if (roll < 0.39) return call('move_file', { from: path, to: `moved/file-${chance.whole(4)}.ts`, reason });
    if (roll < 0.41) return { id: `call-${++calls}`, name: 'edit_file', arguments: '{"path":' };
    return call('edit_file', { path, old_string: line, new_string: `${line} made ${calls}`, reason });
  };
  return {
    async ask(messages: readonly Message[]): Promise<ModelReply> {
      replies += 1;
      const roll = chance.part();
      if (roll < 0.02) throw new ModelFault('lasting', 'the model is gone', null);
      if (roll < 0.03) return reply(null, [], 'stop');
      const first = !messages.some(({ role }) => role === 'assistant');
      if (replies > MOST_REPLIES || (!first && roll < 0.25))
        return reply(chance.pick(['All done.', HOSTILE]), [], 'stop');
      const amount = chance.pick([1, 1, 2, 2, 3, 4]);
      const text = chance.happens(0.3) ? chance.pick(['I propose this.', HOSTILE]) : null;
      return reply(text, Array.from({ length: amount }, anyCall), 'tool_calls');
    },
    async askForWords(): Promise<ModelReply> {
      return reply(chance.pick(['Because.', HOSTILE]), [], 'stop');
    },
  };
}

function reply(content: string | null, calls: readonly ToolCall[], finishReason: string): ModelReply {
  return { content, calls, finishReason, usage: USAGE };
}
