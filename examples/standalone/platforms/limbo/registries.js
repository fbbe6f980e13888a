/** The registries that a client wants to have before it enters a world. */
import { nbt, nbtDouble, nbtFloat, nbtInt } from './nbt.js'
import { bool, string, varint } from './wire.js'

// A 1.21.4 client refuses to enter a world without these: the damage types it names in its own code, the biome
// plains, and one entry in each registry that may not be empty. What the entries say is never seen in a limbo.
const damageTypes = `arrow bad_respawn_point cactus campfire cramming dragon_breath drown dry_out ender_pearl
  explosion fall falling_anvil falling_block falling_stalactite fireball fireworks fly_into_wall freeze generic
  generic_kill hot_floor in_fire in_wall indirect_magic lava lightning_bolt mace_smash magic mob_attack
  mob_attack_no_aggro mob_projectile on_fire out_of_world outside_border player_attack player_explosion sonic_boom
  spit stalagmite starve sting sweet_berry_bush thorns thrown trident unattributed_fireball wind_charge wither
  wither_skull`.split(/\s+/)

const overworld = {
  ambient_light: nbtFloat(1),
  bed_works: true,
  coordinate_scale: nbtDouble(1),
  effects: 'minecraft:overworld',
  has_ceiling: false,
  has_raids: false,
  has_skylight: true,
  height: nbtInt(256),
  infiniburn: '#minecraft:infiniburn_overworld',
  logical_height: nbtInt(256),
  min_y: nbtInt(0),
  monster_spawn_block_light_limit: nbtInt(0),
  monster_spawn_light_level: nbtInt(0),
  natural: true,
  piglin_safe: false,
  respawn_anchor_works: false,
  ultrawarm: false
}

const plains = {
  downfall: nbtFloat(0),
  effects: {
    fog_color: nbtInt(0xc0d8ff),
    sky_color: nbtInt(0x78a7ff),
    water_color: nbtInt(0x3f76e4),
    water_fog_color: nbtInt(0x050533)
  },
  has_precipitation: false,
  temperature: nbtFloat(0.8)
}

const wolf = {
  angry_texture: 'minecraft:entity/wolf/wolf_angry',
  biomes: 'minecraft:plains',
  tame_texture: 'minecraft:entity/wolf/wolf_tame',
  wild_texture: 'minecraft:entity/wolf/wolf'
}

const damage = name => ({ exhaustion: nbtFloat(0), message_id: name, scaling: 'never' })

const registries = {
  dimension_type: { overworld },
  'worldgen/biome': { plains },
  damage_type: Object.fromEntries(damageTypes.map(name => [name, damage(name)])),
  painting_variant: { fire: { asset_id: 'minecraft:fire', height: nbtInt(2), width: nbtInt(2) } },
  wolf_variant: { pale: wolf }
}

/** The bodies of the registry packets of 1.21.4, one a registry, entries in full so that no pack has to be agreed on. */
export const registryData = Object.entries(registries).map(([name, entries]) => Buffer.concat([
  string(`minecraft:${name}`),
  varint(Object.keys(entries).length),
  ...Object.entries(entries).flatMap(([key, value]) => [string(`minecraft:${key}`), bool(true), nbt(value)])
]))
