import type { TemplateData, TemplateEnvironment } from './data.ts';
import { TemplateFailure } from './failure.ts';
import { templateStepsMax } from './limits.ts';

/** What one rendering knows and has used up. */
export class Rendering {
  readonly data: TemplateData;
  readonly environment: TemplateEnvironment;
  /** Whether the last argument of the function that is being called came through a pipe. */
  piped = false;
  /** The offset of what is being evaluated, for the problem. */
  at = 0;
  private stepsLeft = templateStepsMax;

  constructor(data: TemplateData, environment: TemplateEnvironment) {
    this.data = data;
    this.environment = environment;
  }

  /** Uses up steps; a function that walks over something charges for its size. */
  charge(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) throw new TemplateFailure(`takes more than ${templateStepsMax} steps`);
  }
}
