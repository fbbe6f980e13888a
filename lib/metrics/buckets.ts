/** Minutes, hours and days as sums and counts, and what is read from them. */
import type { AverageUsage, HistoryPoint } from '../../types/resources.js'
import type { MetricSample } from '../../types/runtime.js'
import type { MetricBucket, MetricResolution } from '../../types/storage.js'
import { usageOf } from './usage.js'

/** A span of time, both ends included. */
export interface Span {
  readonly from: number
  readonly to: number
}

export const widths: Readonly<Record<MetricResolution, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000
}

export const resolutions = Object.keys(widths) as MetricResolution[]

/** Start of the bucket that a moment lies in, UTC. */
export function startOf (resolution: MetricResolution, at: number): number {
  return Math.floor(at / widths[resolution]) * widths[resolution]
}

/** The buckets that one sample adds to. */
export function bucketsOf ({ cpu, memory }: MetricSample, at: number): readonly MetricBucket[] {
  return resolutions.map(resolution => ({
    resolution,
    start: startOf(resolution, at),
    samples: 1,
    cpuCore: cpu.core,
    cpuServices: cpu.services,
    memoryCore: memory.core,
    memoryServices: memory.services
  }))
}

/** A bucket averaged: the totals of core and services. */
export function pointOf ({ start, samples, cpuCore, cpuServices, memoryCore, memoryServices }: MetricBucket): HistoryPoint {
  return {
    timestamp: start,
    avgCpu: mean(cpuCore + cpuServices, samples),
    avgRam: mean(memoryCore + memoryServices, samples)
  }
}

/** The average over buckets that do not overlap; 0 where there are no samples. */
export function averageOf (buckets: readonly MetricBucket[], { from, to }: Span): AverageUsage {
  const sum = (field: keyof Omit<MetricBucket, 'resolution'>): number =>
    buckets.reduce((total, bucket) => total + bucket[field], 0)
  const samples = sum('samples')
  return {
    avgCpu: usageOf(mean(sum('cpuCore'), samples), mean(sum('cpuServices'), samples)),
    avgRam: usageOf(mean(sum('memoryCore'), samples), mean(sum('memoryServices'), samples)),
    from,
    to
  }
}

const mean = (sum: number, samples: number): number => samples === 0 ? 0 : sum / samples

/**
 * From when on each resolution is kept. Minutes end at a whole hour and hours at a whole day, so that the coarser
 * buckets carry on exactly where the finer ones end.
 */
export function horizons (now: number, days: Readonly<Record<MetricResolution, number>>): Readonly<Record<MetricResolution, number>> {
  const cut = (resolution: MetricResolution, coarser: MetricResolution): number =>
    startOf(coarser, now - days[resolution] * widths.day)
  return { minute: cut('minute', 'hour'), hour: cut('hour', 'day'), day: cut('day', 'day') }
}
