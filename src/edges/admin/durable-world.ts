import type { Simulator } from '../../core/simulator/simulator.ts';
import type { World } from '../../core/simulator/world.ts';

/** The world as far as it is durable: what is shown has happened for good. */
export function durableWorld(simulator: Simulator): Promise<World> {
  return simulator.worldAt(simulator.head().seq);
}
