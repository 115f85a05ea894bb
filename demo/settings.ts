import { createAppEnvironment, type FakeGitHub } from '../fakes/github/fake-github.ts';
import type { ScriptedModel } from '../fakes/model/scripted-model.ts';

export const MODEL_KEY = 'key-of-the-scripted-model';

/** The App's settings. Empty values override variables; only the endpoint of a real model comes from the environment. */
export function createDemoSettings(
  github: FakeGitHub,
  model: ScriptedModel | null,
  modelName: string | null,
): Readonly<Record<string, string>> {
  return {
    PRIVATE_KEY_PATH: '',
    WEBHOOK_SECRET_OLD: '',
    WEBHOOK_PATH: '',
    ...(modelName === null ? {} : { OPENAI_MODEL: modelName }),
    ...createAppEnvironment(github, model),
    CONFIG_FILE: '',
    PAUSED: '',
    DATABASE_URL: '',
    DATA_DIR: '',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'json',
  };
}
