import { readFileSync } from 'node:fs';
import { type ScriptedModel, startScriptedModel } from '../../src/simulator/model/scripted-model.ts';
import { createReferee } from '../../src/simulator/referee/referee.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import type { EnterpriseServer } from '../../src/simulator/world/state.ts';
import { parseJson } from '../../src/trust.ts';

const fixture = parseJson(readFileSync(new URL('../fixtures/openapi/github.json', import.meta.url), 'utf8'));

/** One for all stages of a worker: its schemas take seconds to compile. */
const referee = createReferee(fixture);

/** What the App plays in front of: GitHub under its referee's eyes, and a model. */
export type Scenery = { readonly github: Simulator; readonly model: ScriptedModel };

export async function openScenery(now: () => number, server?: EnterpriseServer): Promise<Scenery> {
  const webhookSecret = 'the secret of the stories';
  const github = await startSimulator({ now, referee, webhookSecret, ...(server === undefined ? {} : { server }) });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.otherwise({ content: 'All done.' });
  return { github, model };
}
