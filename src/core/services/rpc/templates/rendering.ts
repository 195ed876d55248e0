import type { TemplateData, TemplateEnvironment } from './data.ts';
import { TemplateFailure } from './failure.ts';
import { templateStepsMax } from './limits.ts';

type Field = keyof TemplateData;

/** What one rendering knows and has used up. */
export class Rendering {
  private readonly data: TemplateData;
  private readonly read = new Map<Field, TemplateData[Field]>();
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

  /** Each is asked for once, and only when a template wants it: making one may mean decoding messages. */
  field<Name extends Field>(name: Name): TemplateData[Name] {
    // What is kept under a name is what the data has under it.
    const known = this.read.get(name) as TemplateData[Name] | undefined;
    if (known !== undefined) return known;
    const value = this.data[name];
    this.read.set(name, value);
    return value;
  }

  /** Whether `value` is the headers, whose names have no case. */
  isHeaders(value: unknown): boolean {
    return value === this.read.get('Headers');
  }

  /** Uses up steps; a function that walks over something charges for its size. */
  charge(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) throw new TemplateFailure(`takes more than ${templateStepsMax} steps`);
  }
}
