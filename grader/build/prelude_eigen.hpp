#pragma once

// prelude.hpp for submissions that include Eigen: a third of a second more to read, and seconds less to parse.

#include "prelude.hpp"

#include <headway/eigen_products.hpp>

#include <Eigen/Dense>
