# packages: python3-simtk libopenmm-plugins python3-numpy
# checks: forces, energy and 20 steps of a box of charged particles, against OpenMM's reference platform
import numpy as np
import simtk.openmm as openmm
from simtk import unit

SIDE, STEPS = 4, 20
count = SIDE ** 3


def system():
    """A cube of particles of both charges, in bonds of two, in a periodic box: sums near and far, and neighbours."""
    box = openmm.System()
    box.setDefaultPeriodicBoxVectors([3, 0, 0], [0, 3, 0], [0, 0, 3])
    pairs = openmm.NonbondedForce()
    pairs.setNonbondedMethod(openmm.NonbondedForce.PME)
    pairs.setCutoffDistance(1.0)
    bonds = openmm.HarmonicBondForce()
    for number in range(count):
        box.addParticle(20)
        pairs.addParticle((-1) ** number * 0.5, 0.3, 0.5)
        if number % 2:
            bonds.addBond(number - 1, number, 0.7, 500)
    box.addForce(pairs)
    box.addForce(bonds)
    return box


def run(platform):
    integrator = openmm.VerletIntegrator(0.001)
    context = openmm.Context(system(), integrator, openmm.Platform.getPlatformByName(platform))
    grid = np.array([[x, y, z] for x in range(SIDE) for y in range(SIDE) for z in range(SIDE)]) * 0.72
    context.setPositions(grid + np.random.default_rng(1).uniform(-0.05, 0.05, grid.shape))
    start = context.getState(getForces=True, getEnergy=True)
    integrator.step(STEPS)
    end = context.getState(getPositions=True)
    return (start.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer),
            start.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole),
            end.getPositions(asNumpy=True).value_in_unit(unit.nanometer))


forces, energy, positions = run("OpenCL")
want_forces, want_energy, want_positions = run("Reference")
np.testing.assert_allclose(forces, want_forces, rtol=2e-3, atol=2e-3 * np.abs(want_forces).max())
np.testing.assert_allclose(energy, want_energy, rtol=1e-3)
np.testing.assert_allclose(positions, want_positions, atol=1e-4)
print(f"{count} particles, {STEPS} steps, energy {energy:.2f} for {want_energy:.2f} kJ/mol")
