import type { Faker, Randomizer } from '@faker-js/faker';
import { faker as english } from '@faker-js/faker/locale/en';
import type { TemplateEnvironment } from './data.ts';
import { TemplateFailure } from './failure.ts';
import { fakerMembers, type FakerMember } from './faker-members.ts';
import { timeText } from './times.ts';
import { Members, excerpt, type Value } from './values.ts';

/**
 * `faker.Group.Name`, English, in either spelling of first letters. Values come from the chance of the entry and dates
 * from its clock, so a log gives the same ones each time.
 */
export function faker(environment: TemplateEnvironment): Members {
  return new Members('faker', (group, args) => {
    if (args.length > 0) throw new TemplateFailure(`faker.${group} is not a function but has arguments`);
    return fakerGroup(group, environment);
  });
}

function fakerGroup(group: string, environment: TemplateEnvironment): Members {
  if (!hasFakerGroup(group)) throw unknownFaker([group]);
  return new Members(`faker.${group}`, (name, args) => {
    const member = fakerMember(group, name);
    if (member === undefined) throw unknownFaker([group, name]);
    if (args.length > member.argumentsMax) {
      throw new TemplateFailure(`faker.${group}.${name} takes at most ${member.argumentsMax} arguments`);
    }
    return valueOf(member.make(seeded(environment), args));
  });
}

/** Whether `faker` has this group, or this member; for the parser. */
export function isFaker(names: readonly string[]): boolean {
  const [group, name] = names;
  if (group === undefined) return true;
  return name === undefined ? hasFakerGroup(group) : fakerMember(group, name) !== undefined;
}

export function unknownFaker(names: readonly string[]): TemplateFailure {
  return new TemplateFailure(`there is no ${excerpt(['faker', ...names].join('.'))}`);
}

const groups = new Set(Array.from(fakerMembers.keys(), (key) => key.slice(0, key.indexOf('.'))));

function hasFakerGroup(group: string): boolean {
  return groups.has(group.toLowerCase());
}

function fakerMember(group: string, name: string): FakerMember | undefined {
  return fakerMembers.get(`${group}.${name}`.toLowerCase());
}

// Where the only instance draws from: set before each use, so that nothing lasts from one to the next.
let draw = (): number => 0;

const randomizer: Randomizer = {
  next: () => draw(),
  seed: () => undefined,
};

// The class of the English instance, because the package exports it only together with all other languages.
const FakerClass = english.constructor as typeof Faker;
let instance: Faker | undefined;

function seeded(environment: TemplateEnvironment): Faker {
  draw = () => environment.randomness.fraction();
  instance ??= new FakerClass({ locale: english.rawDefinitions, randomizer });
  instance.setDefaultRefDate(environment.now);
  return instance;
}

function valueOf(made: unknown): Value {
  if (typeof made === 'string' || typeof made === 'boolean' || typeof made === 'bigint') return made;
  if (typeof made === 'number') return Number.isSafeInteger(made) ? BigInt(made) : made;
  return timeText((made as Date).getTime());
}
